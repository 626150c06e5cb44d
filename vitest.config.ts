import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { MissingPrograms, programTags } from './test/support/missing-programs.ts';

// Files that wait for what a relay does by the clock leave the cores to others. Each worker loads all modules, in 4 s.
const WORKERS = Math.max(4, 3 * availableParallelism());

/** Files that wait for as long as seconds take. Begun last they would be waited for alone. */
const WAITING = /\.redis\.test|conformance|garbage|webhook|real-relay|audience|test\/(chat|start|live)\//;

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waits = ({ moduleId }: TestSpecification) => WAITING.test(moduleId);
    return [...sorted.filter(waits), ...sorted.filter(file => !waits(file))];
  }
}

/** On Linux. Many engines at once wait for a disk longer than one promises to answer in. */
const IN_MEMORY = existsSync('/dev/shm') ? { TMPDIR: '/dev/shm' } : {};

export default defineConfig({
  test: {
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    setupFiles: ['test/support/setup.ts'],
    // Long, for a busy machine: only what fails waits for all of it.
    testTimeout: 150_000,
    maxConcurrency: 20,
    tags: programTags(),
    reporters: ['default', new MissingPrograms()],
    sequence: { sequencer: WaitingFirst },
    expect: { poll: { timeout: 60_000 } },
    hookTimeout: 150_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          env: IN_MEMORY,
          setupFiles: ['test/support/patient-redis.ts'],
          include: ['test/**/*.test.ts'],
          exclude: [
            'test/**/*.browser.test.ts',
            'test/**/*.containers.test.ts',
            'test/**/*.{fault,slow}.test.ts',
            'test/**/*.{python,go}.test.ts',
          ],
          maxWorkers: WORKERS,
          // A process of its own for every file costs half a second of each, more than nearly all files take.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'fault',
          include: ['test/**/*.{fault,slow}.test.ts'],
          globalSetup: ['test/e2e/chromium.ts'],
          testTimeout: 300_000,
          // They wait for timeouts and failovers most of the time.
          maxWorkers: 3,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'containers',
          include: ['test/**/*.containers.test.ts'],
          globalSetup: ['test/containers/docker.ts'],
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'python',
          include: ['test/**/*.{python,go}.test.ts'],
          testTimeout: 900_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          env: IN_MEMORY,
          include: ['test/**/*.browser.test.ts'],
          globalSetup: ['test/e2e/chromium.ts'],
          // Pages wait more than they draw.
          maxWorkers: 2,
          isolate: false,
        },
      },
    ],
  },
});
