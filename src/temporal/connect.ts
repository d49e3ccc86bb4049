import { loadClientConnectConfig } from '@temporalio/envconfig';
import { NativeConnection } from '@temporalio/worker';

/**
 * Connects to Temporal. The address comes from the engine or from TEMPORAL_ADDRESS; everything else
 * (TLS, API key, metadata, profile) from the SDK's own environment configuration. On loopback the
 * default compression only costs time, so it is off there.
 */
export async function connectTemporal(address: string): Promise<NativeConnection> {
  const { connectionOptions } = loadClientConnectConfig();
  const loopback = /^(127\.|localhost:|\[::1\])/.test(address);
  return NativeConnection.connect({
    ...(connectionOptions as Parameters<typeof NativeConnection.connect>[0]),
    address,
    ...(loopback ? { grpcCompression: { codec: 'none' } } : {}),
  });
}
