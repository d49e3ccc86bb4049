/** Reads what the Temporal SDK serves of its own metrics, on loopback, as text. */
export async function readSdkMetrics(port: number, limitMs: number): Promise<string> {
  const signal = AbortSignal.timeout(limitMs);
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { signal });
  if (!response.ok) throw new Error(`the SDK's metrics: status ${response.status}`);
  return response.text();
}
