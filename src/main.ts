#!/usr/bin/env node
import { readConfig } from './config.ts';
import { parseCommandLine, UsageError, type Command } from './commands/command.ts';
import { commandHelp, generalHelp } from './commands/help.ts';
import { COMMANDS } from './commands/index.ts';
import { AppError, unavailable, withoutParameters } from './errors.ts';

/** Exit codes of the command line. */
const DONE = 0;
const FAILED = 1;
const WRONG_USAGE = 2;

const code = await main(process.argv.slice(2));
// A pipe takes a long answer bit by bit, and what it has not taken would be lost.
await Promise.all([written(process.stdout), written(process.stderr)]);
// Explicitly, because what a failed start leaves behind could keep the process alive.
process.exit(code);

async function main(argv: string[]): Promise<number> {
  const json = argv.includes('--json');
  const command = findCommand(argv);
  if (!command) {
    const asked = argv.length === 0 || argv[0] === 'help' || argv.includes('--help');
    const fault = `There is no command "${argv.join(' ')}".`;
    if (!asked && json) print(JSON.stringify({ error: 'usage', message: fault }));
    if (!asked) say(`${fault}\n`);
    (asked ? process.stdout : process.stderr).write(generalHelp(COMMANDS));
    return asked ? DONE : WRONG_USAGE;
  }
  try {
    const parsed = parseCommandLine(command, argv.slice(command.name.split(' ').length));
    if (parsed.help) {
      process.stdout.write(commandHelp(command));
      return DONE;
    }
    const config = readConfig(process.env);
    const answer = await command.run({ ...parsed, config, progress: say });
    if (answer) print(json ? JSON.stringify(answer.json) : answer.text);
    return DONE;
  } catch (error) {
    return report(error, command, json);
  }
}

function findCommand(argv: string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name.split(' ').every((word, i) => argv[i] === word));
}

/** Says what went wrong; only a programming error shows where. */
function report(thrown: unknown, command: Command, json: boolean): number {
  const error = withoutParameters(thrown);
  if (error instanceof UsageError) {
    if (json) print(JSON.stringify({ error: 'usage', message: error.message }));
    say(`${error.message}\n\n${commandHelp(command)}`);
    return WRONG_USAGE;
  }
  if (error instanceof AppError) {
    const { code, message, field, requiredPlan, faults } = error;
    const details = {
      ...(field !== undefined && { field }),
      ...(requiredPlan !== undefined && { required_plan: requiredPlan }),
      ...(faults !== undefined && { faults }),
    };
    if (json) print(JSON.stringify({ error: code, message, ...details }));
    say(message);
    return FAILED;
  }
  if (isSystemError(error)) return report(unavailable(error.message), command, json);
  if (isMissingSchema(error)) {
    return report(
      unavailable('The database has no schema yet; run "migrate" first.'),
      command,
      json,
    );
  }
  if (json)
    print(JSON.stringify({ error: 'internal', message: 'Something went wrong on our side.' }));
  console.error(error);
  return FAILED;
}

/** What the system refuses (a port, a folder, a name) is told in its words, without a stack. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

/** PostgreSQL's "undefined table". */
function isMissingSchema(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } };
  return code === '42P01' || cause?.code === '42P01';
}

/** When everything was written, or cannot be any more. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function say(message: string): void {
  process.stderr.write(`${message}\n`);
}
