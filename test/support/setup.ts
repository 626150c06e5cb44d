import { afterAll, vi } from 'vitest';

// Vitest restores before each test only, and files share a process: hooks of the next file would
// meet the last stubs of this one.
afterAll(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
