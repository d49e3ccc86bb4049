import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { Logger } from '../log.ts';
import { temporalLogger } from './logger.ts';

const WORKFLOWS = fileURLToPath(new URL(`../../workflows/index${extension()}`, import.meta.url));

/** Bundles the workflow code; it fails when that imports anything that is not deterministic. */
export function bundleWorkflows(log: Logger): Promise<WorkflowBundleWithSourceMap> {
  return bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: temporalLogger(log) });
}

/** This file's own ending: `.ts` in the source tree, `.js` once built. */
function extension(): string {
  return import.meta.url.endsWith('.ts') ? '.ts' : '.js';
}
