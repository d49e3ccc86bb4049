import { createAccount, listAccounts } from '../accounts/accounts.ts';
import { changePlan } from '../accounts/change-plan.ts';
import { PLANS } from '../domain/plan.ts';
import type { Command } from './command.ts';
import { withService } from './context.ts';
import { listing, table } from './table.ts';

export const accountCreate: Command = {
  name: 'account create',
  summary: 'make an account',
  options: {
    email: { value: 'address', help: "the owner's email address", required: true },
    plan: { value: PLANS.join('|'), help: 'the plan', required: true },
  },
  run: (input) =>
    withService(input, async ({ db }) => {
      const { email = '', plan = '' } = input.options;
      const account = await createAccount(db, { email, plan });
      return { json: account, text: listing({ account: account.id, email, plan }) };
    }),
};

export const accountList: Command = {
  name: 'account list',
  summary: 'show the accounts',
  run: (input) =>
    withService(input, async ({ db }) => {
      const accounts = await listAccounts(db);
      const rows = accounts.map(({ id, email, plan, createdAt }) => [id, email, plan, createdAt]);
      return { json: accounts, text: table(['account', 'email', 'plan', 'created'], rows) };
    }),
};

export const accountPlan: Command = {
  name: 'account plan',
  summary: `put an account on another plan: ${PLANS.join(', ')}`,
  args: ['account id', 'plan'],
  run: (input) =>
    withService(input, async (context) => {
      const { 'account id': accountId = '', plan = '' } = input.args;
      const account = await changePlan(context, { accountId, plan });
      return { json: account, text: listing({ account: account.id, plan: account.plan }) };
    }),
};
