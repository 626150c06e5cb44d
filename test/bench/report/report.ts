/** What a run found: the content of `--json`. */
export interface Report {
  readonly machine: Machine;
  readonly takenAt: string;
  readonly runs: number;
  /** Sizes were tiny: the figures show that the benches work, and nothing else. */
  readonly quick: boolean;
  readonly benches: readonly BenchReport[];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
}

export interface BenchReport {
  readonly name: string;
  readonly title: string;
  readonly control: string | undefined;
  readonly figures: readonly Figure[];
  readonly verdicts: readonly Verdict[];
  /** Why something was not measured. */
  readonly notes: readonly string[];
}

export interface Figure {
  readonly scene: string;
  readonly contender: string;
  readonly metric: string;
  readonly unit: string;
  /** Of all runs. */
  readonly median: number;
  readonly runs: readonly number[];
  /** Median of the ratios to the control row, each taken within one run; null without one. */
  readonly ratio: number | null;
}

export interface Verdict {
  readonly scene: string;
  readonly contender: string;
  readonly metric: string;
  readonly target: string;
  readonly isMet: boolean;
}
