import { accountCreate, accountList } from './account.ts';
import type { Command } from './command.ts';
import { dealCreate, dealList, dealMove } from './deal.ts';
import { deliveryCancel, deliveryList, deliveryRetry, deliveryShow } from './delivery.ts';
import {
  endpointCreate,
  endpointDelete,
  endpointList,
  endpointPause,
  endpointResume,
  endpointSecret,
  endpointUpdate,
} from './endpoint.ts';
import { migrate } from './migrate.ts';
import { parcelAdd, parcelList } from './parcel.ts';
import { api, start, worker } from './processes.ts';
import { receiverAnswer, receiverRun, receiverShow } from './receiver.ts';

/** Every command, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [
  start,
  api,
  worker,
  migrate,
  accountCreate,
  accountList,
  endpointCreate,
  endpointList,
  endpointUpdate,
  endpointSecret,
  endpointPause,
  endpointResume,
  endpointDelete,
  deliveryList,
  deliveryShow,
  deliveryRetry,
  deliveryCancel,
  parcelAdd,
  parcelList,
  dealCreate,
  dealMove,
  dealList,
  receiverRun,
  receiverAnswer,
  receiverShow,
];
