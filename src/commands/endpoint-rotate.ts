import { prepareSecret, switchSecret, switchSecretNow } from '../endpoints/rotate-secret.ts';
import { UsageError, type Command } from './command.ts';
import { accountOption } from './context.ts';
import { withEndpoint } from './endpoint.ts';

export const endpointRotate: Command = {
  name: 'endpoint rotate',
  summary: 'change the signing secret in two steps, or at once when it has leaked',
  args: ['endpoint id'],
  options: {
    prepare: { help: 'show the next secret, for the receiver to accept beside the present one' },
    switch: { help: 'sign with the prepared secret from now on' },
    now: { help: 'sign with a new secret from now on; until the receiver knows it, retries' },
    ...accountOption,
  },
  run(input) {
    const { prepare, switch: switchOver, now } = input.options;
    if ([prepare, switchOver, now].filter(Boolean).length !== 1) {
      throw new UsageError('one of --prepare, --switch and --now is needed');
    }
    return withEndpoint(input, async (context, which) => {
      if (prepare) {
        const prepared = await prepareSecret(context, which);
        const text = `next secret  ${prepared.nextSecret}\nNothing is signed with it before "endpoint rotate ${which.endpointId} --switch".`;
        return { json: prepared, text };
      }
      if (switchOver) {
        const endpoint = await switchSecret(context, which);
        return { json: endpoint, text: 'The prepared secret is in use from now on.' };
      }
      const switched = await switchSecretNow(context, which);
      return { json: switched, text: `secret  ${switched.secret}\nIt is in use from now on.` };
    });
  },
};
