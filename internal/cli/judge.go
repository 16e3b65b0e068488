package cli

import (
	"github.com/memaudit/memaudit/internal/advice/plan"
	"github.com/memaudit/memaudit/internal/audit"
	"github.com/memaudit/memaudit/internal/cli/assess"
	"github.com/memaudit/memaudit/internal/model/inventory"
	"github.com/memaudit/memaudit/internal/report"
)

func (p *Program) auditor(engine *audit.Engine, o *audit.Options) *assess.Auditor {
	return &assess.Auditor{Rules: p.Rules, Engine: engine, Options: o}
}

func (p *Program) judge(engine *audit.Engine, o *audit.Options, sys *inventory.System) (*assess.Assessment, error) {
	return p.auditor(engine, o).Assess(sys)
}

func (p *Program) advised(engine *audit.Engine, o *audit.Options, j *assess.Assessment, ro report.Options) report.Report {
	return p.auditor(engine, o).Advised(j, ro)
}

func (p *Program) pipeline(engine *audit.Engine, o *audit.Options) plan.Pipeline {
	return p.auditor(engine, o).Pipeline()
}
