import type { Config } from './config.ts';
import type { Db } from './db/client.ts';
import type { PostcardPace } from './domain/postcard-pace.ts';
import type { EndpointContext } from './endpoints/endpoint.ts';
import { appUrls, type AppUrls } from './urls.ts';
import { checkEndpointUrl } from './webhooks/check-endpoint-url.ts';

/** What the verbs of this service work with. */
export interface ServiceContext extends EndpointContext {
  urls: AppUrls;
  /** The name of this service in texts. */
  serviceName: string;
  postcardPace: PostcardPace;
}

/** Puts together what verbs need, from the configuration and an open database. */
export function createServiceContext(
  config: Config,
  parts: {
    db: Db;
    secretKey: Buffer;
    publicUrl: string;
    devOrigins: readonly string[];
    actor: string;
  },
): ServiceContext {
  const { db, secretKey, publicUrl, devOrigins, actor } = parts;
  const policy = { devOrigins, ownHosts: [new URL(publicUrl).host] };
  return {
    db,
    secretKey,
    actor,
    urls: appUrls(publicUrl),
    serviceName: config.serviceName,
    postcardPace: config.postcardPace,
    checkUrl: (raw) => checkEndpointUrl(raw, policy, { dnsServers: config.dnsServers }),
  };
}
