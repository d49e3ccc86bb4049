import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, unavailable } from '../../src/errors.ts';
import { findOnPath, isExecutable } from '../../src/engine/find-on-path.ts';
import { runCommand } from '../../src/engine/run-command.ts';
import { downloadWithSdk } from '../../src/engine/sdk-download.ts';
import { cachedToolPath, publishTool } from '../../src/engine/tool-cache.ts';

const VERSION = '1.38.0';
const SLF4J_VERSION = '1.7.36'; // the server logs to nobody, and says so at length without this

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId>
  <artifactId>time-skipping-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-nop</artifactId>
      <version>${SLF4J_VERSION}</version>
    </dependency>
  </dependencies>
</project>
`;

// The SDK passes the port, and flags that this main class reads itself. Compiling little is what
// makes a server quick that lives for one test file.
const WRAPPER = `#!/bin/sh
folder=$(dirname "$0")
exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$folder/lib/*" \\
  io.temporal.testserver.TestServer "$@"
`;

/**
 * The path of Temporal's test server that skips time, for
 * `TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } })`:
 * from the cache, else the SDK's download, else (it has the same code) its Maven artifact run by
 * Java. Throws `unavailable`, with the reasons and what to do, when it cannot be had in any way.
 */
export async function timeSkippingServerPath(
  cacheDir: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  const downloaded = cachedToolPath(cacheDir, 'temporal-test-server');
  const assembled = cachedToolPath(cacheDir, `temporal-test-server-java-${VERSION}`);
  const wrapper = join(assembled, 'temporal-test-server');
  if (isExecutable(downloaded)) return downloaded;
  if (isExecutable(wrapper) && findOnPath('java').length > 0) return wrapper;

  const problems: string[] = [];
  try {
    await publishTool(
      downloaded,
      async (folder) => await downloadWithSdk('temporal-test-server', folder, signal),
    );
    return downloaded;
  } catch (error) {
    signal.throwIfAborted();
    problems.push(errorMessage(error));
  }
  try {
    await publishTool(assembled, async (folder) => await assemble(folder, signal));
    return wrapper;
  } catch (error) {
    signal.throwIfAborted();
    problems.push(errorMessage(error));
  }
  throw unavailable(
    `The time-skipping test server cannot be had: ${problems.join('; ')}. ` +
      'Install Java (11 or later) and Maven, or allow access to https://temporal.download.',
  );
}

/** A folder with the server's jars and a script that runs them. */
async function assemble(folder: string, signal: AbortSignal): Promise<string> {
  const [maven] = findOnPath('mvn');
  if (findOnPath('java').length === 0) throw unavailable('Java is not installed');
  if (maven === undefined) throw unavailable('Maven is not installed');
  const made = join(folder, 'server');
  mkdirSync(made);
  writeFileSync(join(folder, 'pom.xml'), POM);
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${join(made, 'lib')}`];
  const scope = ['-DincludeScope=runtime', '-Dmdep.useBaseVersion=true'];
  const result = await runCommand(maven, ['--batch-mode', '--quiet', ...goal, ...scope], {
    cwd: folder,
    signal,
    timeoutMs: 600_000,
  });
  if (result.code !== 0) {
    const reason = result.output.trim().split('\n').slice(0, 3).join(' ');
    throw unavailable(`Maven failed: ${result.timedOut ? 'no end after 10 minutes' : reason}`);
  }
  writeFileSync(join(made, 'temporal-test-server'), WRAPPER, { mode: 0o755 });
  return made;
}
