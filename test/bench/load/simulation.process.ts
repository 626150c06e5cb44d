import { type CrowdPlan, simulateCrowd } from '../../scale/simulated-crowd.ts';
import { serveCalls } from '../system/calls.ts';

/** A process whose timers are not those of the machine. */

const calls = { simulate: (plan: CrowdPlan) => simulateCrowd(plan) };

export type SimulationCalls = typeof calls;
serveCalls(calls);
