package plan

// ReachesOf is what each processor has, for the tests from outside.
var ReachesOf = reachesOf
