/** The ports of a dev server; all on 127.0.0.1. */
export interface TemporalPorts {
  temporal: number;
  temporalUi: number;
  temporalHttp: number;
  temporalMetrics: number;
}

/** How a dev server is to differ from the usual; for tests and benchmarks. */
export interface TemporalOptions {
  /** No web interface. */
  headless?: boolean;
  /** Nothing on disk: all is lost when the server ends. */
  inMemory?: boolean;
  /** Appended to the command line. */
  extraArgs?: readonly string[];
}

// The limits that a dev server sets for an idle laptop are far below what one worker of ours asks.
const DYNAMIC_CONFIG = {
  'system.enableActivityEagerExecution': true,
  'matching.useNewMatcher': true,
  'matching.enableFairness': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'frontend.rps': 100_000,
  'frontend.namespaceRPS': 100_000,
  'frontend.namespaceRPS.visibility': 1_000,
  'frontend.namespaceCount': 20_000,
  'frontend.persistenceMaxQPS': 100_000,
  'history.rps': 100_000,
  'history.persistenceMaxQPS': 100_000,
  'matching.rps': 100_000,
  'matching.persistenceMaxQPS': 100_000,
  'system.visibilityPersistenceMaxReadQPS': 100_000,
  'system.visibilityPersistenceMaxWriteQPS': 100_000,
} as const;

/** The words of `temporal server start-dev …` for these ports, with its database in `file`. */
export function temporalArguments(
  ports: TemporalPorts,
  file: string,
  options: TemporalOptions,
): string[] {
  const storage = [
    ...['--db-filename', file],
    ...['--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL'],
  ];
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--log-level', 'warn'],
    ...['--port', String(ports.temporal), '--http-port', String(ports.temporalHttp)],
    ...['--metrics-port', String(ports.temporalMetrics)],
    ...(options.headless ? ['--headless'] : ['--ui-port', String(ports.temporalUi)]),
    ...(options.inMemory ? [] : storage),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
    ...(options.extraArgs ?? []),
  ];
}
