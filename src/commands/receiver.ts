import { DEFAULT_RECEIVER_PORT } from '../config.ts';
import { ANSWERS_HELP } from '../demo/receiver/answer.ts';
import { receiptLine } from '../demo/receiver/receipt-line.ts';
import { startReceiver } from '../demo/receiver/receiver.ts';
import { badRequest, unavailable } from '../errors.ts';
import { readServiceRecord } from '../service-record.ts';
import type { Command, CommandInput } from './command.ts';
import { NEVER, runUntilSignal } from '../processes/run-until-signal.ts';

export const receiverRun: Command = {
  name: 'receiver run',
  summary: 'run a demo receiver of its own',
  options: {
    secret: {
      value: 'whsec_…',
      help: 'signing secret of the endpoint; two, comma-separated, while one is being replaced',
      required: true,
    },
    port: { value: 'port', help: `where to listen, ${DEFAULT_RECEIVER_PORT} by default` },
  },
  async run({ options, progress }) {
    const text = options['port'] ?? String(DEFAULT_RECEIVER_PORT);
    const port = Number(text);
    if (!/^\d{1,5}$/.test(text) || port > 65_535) {
      throw badRequest('port', 'port: must be from 0 to 65535.');
    }
    const secrets = (options['secret'] ?? '').split(',');
    await runUntilSignal(async () => {
      const receiver = await startReceiver({
        ...{ host: '127.0.0.1', port, secrets: () => Promise.resolve(secrets) },
        onReceipt: (receipt) => void process.stdout.write(`${receiptLine(receipt)}\n`),
      });
      progress(`Receiver at ${receiver.url}; allow it with DEV_ENDPOINT_ORIGINS=${receiver.url}`);
      return { stop: receiver.close, failed: NEVER };
    }, progress);
    return undefined;
  },
};

export const receiverAnswer: Command = {
  name: 'receiver answer',
  summary: `tell the demo receiver how to answer: ${ANSWERS_HELP}`,
  args: ['answer'],
  options: {
    times: { value: 'count', help: 'for so many requests, then 200 again; for good when left out' },
    url: { value: 'url', help: 'the receiver; the running service knows its own' },
  },
  async run(input) {
    const url = await receiverUrl(input);
    const { times } = input.options;
    if (times !== undefined && !/^[1-9]\d{0,6}$/.test(times)) {
      throw badRequest('times', 'times: must be a whole number from 1.');
    }
    const wish = {
      answer: input.args['answer'],
      ...(times !== undefined && { times: Number(times) }),
    };
    const response = await call(`${url}/answer`, { method: 'PUT', body: JSON.stringify(wish) });
    const told = (await response.json()) as { error?: string; answering?: string };
    if (told.error) throw badRequest('answer', told.error);
    const until = times === undefined ? 'from now on' : `for the next ${times}`;
    return { json: told, text: `The receiver answers ${told.answering} ${until}.` };
  },
};

export const receiverShow: Command = {
  name: 'receiver show',
  summary: 'show what the demo receiver got',
  options: { url: { value: 'url', help: 'the receiver; the running service knows its own' } },
  async run(input) {
    const response = await call(await receiverUrl(input), {});
    const summary = (await response.json()) as Record<string, unknown>;
    return { json: summary, text: JSON.stringify(summary, null, 2) };
  },
};

async function receiverUrl({ config, options }: CommandInput): Promise<string> {
  const url = options['url'] ?? (await readServiceRecord(config))?.receiverUrl;
  if (!url) throw unavailable('No receiver is known here; start the service, or give --url.');
  return url;
}

async function call(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw unavailable(`The receiver at ${url} does not answer; is the service running?`, error);
  }
}
