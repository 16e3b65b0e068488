/* The reference of TestBesideC: the same loops in C, each timed in processor
 * time of the thread, which a busy machine does not stretch. Reads names of
 * kernels, runs each once and prints its seconds, so that the test can take turns
 * between C and Go. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <emmintrin.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static uint64_t rd(const uint64_t *a, const uint64_t *b, const uint64_t *c, size_t n)
{
	uint64_t x = 0, y = 0, z = 0;
	for (size_t i = 0; i < n; i += 8) { x += a[i]; y += b[i]; z += c[i]; }
	return x + y + z;
}

static void triad(double *a, const double *b, const double *c, size_t n, double s)
{
	__m128d v = _mm_set1_pd(s);
	for (size_t i = 0; i < n; i += 2)
		_mm_stream_pd(a + i, _mm_add_pd(_mm_load_pd(b + i), _mm_mul_pd(v, _mm_load_pd(c + i))));
	_mm_sfence();
}

static void normal(double *restrict a, const double *restrict b, const double *restrict c, size_t n, double s)
{
	for (size_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

static uint64_t chase(const uint64_t *w, uint64_t at, size_t steps)
{
	while (steps--) at = w[at];
	return at;
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoull(argv[1], 0, 10) : 0, n = bytes / 8, third = n / 3 / 8 * 8;
	uint64_t *w = mmap(0, bytes + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!bytes || w == MAP_FAILED) return 1;
	w = (uint64_t *)(((uintptr_t)w + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
	madvise(w, bytes, MADV_HUGEPAGE);
	double *a = (double *)w, *b = a + third, *c = b + third;
	for (size_t i = 0; i < n; i++) a[i] = 1;
	uint64_t lines = n / 8, at = 0;
	volatile uint64_t sink = 0;
	char name[32];
	while (scanf("%31s", name) == 1) {
		double began = now();
		if (!strcmp(name, "read")) sink += rd(w, w + third, w + 2 * third, third);
		else if (!strcmp(name, "triad")) triad(a, b, c, third, 0.5);
		else if (!strcmp(name, "normal")) normal(a, b, c, third, 0.5);
		else if (!strcmp(name, "chase")) at = chase(w, at, lines / 64);
		else if (!strcmp(name, "chain"))
			for (uint64_t i = 0; i < lines; i++) w[i * 8] = ((i * 0x5851F42D4C957F2DULL + 0x14057B7EF767814FULL) & (lines - 1)) * 8;
		else return 2;
		printf("%.9f\n", now() - began);
		fflush(stdout);
	}
	sink += at;
	return 0;
}
