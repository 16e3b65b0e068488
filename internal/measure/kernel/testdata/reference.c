/* The reference of TestBesideC: the same loops in C, each timed in processor
 * time of the thread, which a busy machine does not stretch. Prints one line a
 * kernel: name and seconds a pass, the best of several. */
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
	size_t bytes = strtoull(argv[1], 0, 10), n = bytes / 8, third = n / 3 / 8 * 8;
	int passes = atoi(argv[2]);
	uint64_t *w = mmap(0, bytes + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (w == MAP_FAILED) return 1;
	w = (uint64_t *)(((uintptr_t)w + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
	madvise(w, bytes, MADV_HUGEPAGE);
	double *a = (double *)w, *b = a + third, *c = b + third;
	for (size_t i = 0; i < n; i++) a[i] = 1;
	double best[4] = {1e9, 1e9, 1e9, 1e9};
	volatile uint64_t sink = 0;
	for (int p = 0; p < passes; p++) {
		double t0 = now(); sink += rd(w, w + third, w + 2 * third, third);
		double t1 = now(); triad(a, b, c, third, 0.5);
		double t2 = now(); normal(a, b, c, third, 0.5);
		double t3 = now();
		if (t1 - t0 < best[0]) best[0] = t1 - t0;
		if (t2 - t1 < best[1]) best[1] = t2 - t1;
		if (t3 - t2 < best[2]) best[2] = t3 - t2;
	}
	uint64_t lines = n / 8, at = 0;
	for (uint64_t i = 0; i < lines; i++) w[i * 8] = ((i * 0x5851F42D4C957F2DULL + 0x14057B7EF767814FULL) & (lines - 1)) * 8;
	for (int p = 0; p < passes; p++) {
		double t0 = now(); at = chase(w, at, lines / 64);
		double t1 = now();
		if (t1 - t0 < best[3]) best[3] = t1 - t0;
	}
	sink += at;
	const char *names[4] = {"read", "triad", "normal", "chase"};
	for (int i = 0; i < 4; i++) printf("%s %.9f\n", names[i], best[i]);
	return 0;
}
