import type { Reporter, TestModule } from 'vitest/node';

/** Prints at the end of a run which tests failed and passed when they were tried again: each is a fault to mend. */
export class FlakyTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const { children, relativeModuleId } of modules)
      for (const test of children.allTests('passed')) {
        if (!test.diagnostic()?.flaky) continue;
        const causes = test.result().errors?.map(({ message }) => message) ?? [];
        process.stdout.write(`flaky: ${relativeModuleId} > ${test.fullName}: ${causes.join('; ')}\n`);
      }
  }
}
