import { userInfo } from 'node:os';
import { listAccounts, requireAccount, type Account } from '../accounts/accounts.ts';
import { localUrl } from '../config.ts';
import { openDatabase, type Db } from '../db/client.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { DEMO_EMAILS } from '../demo/accounts.ts';
import { useDatabase } from '../engine/use-database.ts';
import { badRequest } from '../errors.ts';
import { createLog } from '../log.ts';
import { secretKey } from '../secret-key.ts';
import { createServiceContext, type ServiceContext } from '../service-context.ts';
import { readServiceRecord } from '../service-record.ts';
import type { CommandInput } from './command.ts';

/**
 * Runs a piece of work on the database: that of DATABASE_URL, or else the embedded one of the data
 * directory, which is started for the time of the work when it is not running.
 */
export async function withService<T>(
  { config, progress }: CommandInput,
  work: (context: ServiceContext, temporalAddress: string | null) => Promise<T>,
): Promise<T> {
  const key = await secretKey(config);
  const { databaseUrl, temporalAddress, stop } = await useDatabase({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    progress,
    log: createLog('silent'),
  });
  try {
    if (!config.databaseUrl) await migrateDatabase(databaseUrl);
    const database = openDatabase(databaseUrl, { max: 2, name: 'lead-events cli' });
    try {
      // A service that was started here has told where it serves, and where the demo receiver is.
      const record = await readServiceRecord(config);
      const receiver = config.production ? null : record?.receiverUrl;
      const context = createServiceContext(config, {
        db: database.db,
        secretKey: key,
        actor: `cli:${userInfo().username}`,
        publicUrl: config.publicUrl ?? record?.apiUrl ?? localUrl(config),
        devOrigins: [...config.devEndpointOrigins, ...(receiver ? [receiver] : [])],
      });
      return await work(context, config.temporalAddress ?? temporalAddress);
    } finally {
      await database.close();
    }
  } finally {
    await stop();
  }
}

/** The same for one account: that of `--account`, or the only one there is. */
export function withAccount<T>(
  input: CommandInput,
  work: (context: ServiceContext, accountId: string, temporalAddress: string | null) => Promise<T>,
): Promise<T> {
  return withService(input, async (context, temporalAddress) => {
    const { id } = await chosenAccount(context.db, input.options['account']);
    return work(context, id, temporalAddress);
  });
}

/**
 * The account of `--account`, or the only one there is; the first of the demo's while there are no
 * others, so that what `start` suggests works as it stands.
 */
async function chosenAccount(db: Db, accountId: string | undefined): Promise<Account> {
  if (accountId !== undefined) return requireAccount(db, accountId);
  const all = await listAccounts(db);
  const [first, second] = all;
  if (!first)
    throw badRequest('account', 'There is no account yet; make one with "account create".');
  if (!second) return first;
  const shown = all.find(({ email }) => email === DEMO_EMAILS[0]);
  if (shown && all.every(({ email }) => DEMO_EMAILS.includes(email))) return shown;
  throw badRequest(
    'account',
    'There is more than one account; say which with --account ("account list" shows them).',
  );
}

export const accountOption = {
  account: { value: 'account id', help: 'the account; not needed when there is only one' },
} as const;
