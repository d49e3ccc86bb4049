/** One thing that a step shows: a word for what it is, a line of text, and its ids for programs. */
export interface Fact {
  about: string;
  text: string;
  /** Milliseconds since the beginning. */
  after_ms: number;
  [id: string]: unknown;
}

/** One step of a scenario with what was seen of it. */
export interface Step {
  step: number;
  title: string;
  /** ISO 8601. */
  at: string;
  after_ms: number;
  facts: Fact[];
}

/** Tells a scenario as it happens, line by line, and keeps it for `--json`. */
export interface Narrator {
  readonly steps: readonly Step[];
  /** Begins the next step. */
  step(title: string): void;
  /** Adds a line to the step that was begun last. */
  fact(about: string, text: string, ids?: Record<string, unknown>): void;
  /** The same for programs only. */
  record(about: string, text: string, ids?: Record<string, unknown>): void;
  /** Shows a text of several lines below the step: a payload, a mail. */
  quote(text: string): void;
}

const LABEL_WIDTH = 8;

/** `write` gets whole lines; `bold` dresses a title, or leaves it as it is. */
export function createNarrator(
  write: (line: string) => void,
  bold: (text: string) => string,
): Narrator {
  const began = performance.now();
  const steps: Step[] = [];
  const afterMs = () => Math.round(performance.now() - began);
  const record: Narrator['record'] = (about, text, ids = {}) => {
    steps.at(-1)?.facts.push({ about, text, after_ms: afterMs(), ...ids });
  };
  return {
    ...{ steps, record },
    step(title) {
      const step = steps.length + 1;
      const after_ms = afterMs();
      steps.push({ step, title, at: new Date().toISOString(), after_ms, facts: [] });
      write('');
      write(`${bold(`${step}. ${title}`)}  (${(after_ms / 1000).toFixed(1)} s)`);
    },
    fact(about, text, ids) {
      record(about, text, ids);
      write(`  ${about.padEnd(LABEL_WIDTH)}  ${text}`);
    },
    quote(text) {
      for (const line of text.trimEnd().split('\n')) write(`  │ ${line}`);
    },
  };
}
