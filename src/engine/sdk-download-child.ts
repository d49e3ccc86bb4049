/**
 * Run as a process by sdk-download.ts with a tool's name and a folder: has the Temporal SDK
 * download that tool into the folder. It starts the tool once, for lack of another way to ask.
 */
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { errorMessage } from '../errors.ts';

const [tool, downloadDir] = process.argv.slice(2);
if (downloadDir === undefined) throw new Error('usage: sdk-download-child <tool> <folder>');
const server = { executable: { type: 'cached-download', downloadDir } } as const;
try {
  const environment =
    tool === 'cli'
      ? await TestWorkflowEnvironment.createLocal({ server })
      : await TestWorkflowEnvironment.createTimeSkipping({ server });
  await environment.teardown();
} catch (error) {
  console.error(errorMessage(error)); // the parent quotes the last line
  process.exitCode = 1;
}
