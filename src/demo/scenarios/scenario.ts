import type { DemoSettings } from './settings.ts';
import type { Stage } from './stage.ts';

/** What was seen at the end: a sentence for people, and figures for programs. */
export interface Seen {
  text: string;
  json: Record<string, unknown>;
}

/** A story that is played on a running service, and that fails unless everything in it was seen. */
export interface Scenario {
  name: string;
  /** One line. */
  summary: string;
  settings: DemoSettings;
  play(stage: Stage): Promise<Seen>;
}
