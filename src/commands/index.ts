import { accountCreate, accountList, accountPlan } from './account.ts';
import { auditList } from './audit.ts';
import type { Command } from './command.ts';
import { countyList, countyUnwatch, countyWatch } from './county.ts';
import { dealCreate, dealList, dealMove, dealUpdate } from './deal.ts';
import { demo } from './demo.ts';
import { dealShow } from './deal-show.ts';
import {
  deliveryCancel,
  deliveryList,
  deliveryRedeliver,
  deliveryRetry,
  deliveryShow,
} from './delivery.ts';
import {
  endpointCreate,
  endpointDelete,
  endpointList,
  endpointPause,
  endpointSecret,
  endpointShow,
  endpointUpdate,
} from './endpoint.ts';
import {
  endpointRedeliver,
  endpointResume,
  endpointTest,
  replayList,
  replayStop,
} from './endpoint-recovery.ts';
import { endpointRotate } from './endpoint-rotate.ts';
import { migrate } from './migrate.ts';
import { keyCreate, keyList, keyRevoke } from './key.ts';
import { farmCreate, farmList, farmUpdate } from './farm.ts';
import { leadList, leadRelease, leadSave } from './lead.ts';
import { listAdd, listArchive, listCreate, listList, listRemove, listRestore } from './list.ts';
import { orderList, orderShow } from './order.ts';
import { parcelAdd, parcelImport, parcelList } from './parcel.ts';
import {
  postcardAdvance,
  postcardCancel,
  postcardCreate,
  postcardList,
  postcardShow,
} from './postcard.ts';
import { api, start, worker } from './processes.ts';
import { rescoreList, rescoreRun, rescoreShow } from './rescore.ts';
import { searchCreate } from './search.ts';
import { skiptraceCancel, skiptraceComplete, skiptraceOrder, skiptracePay } from './skiptrace.ts';
import { receiverAnswer, receiverRun, receiverShow } from './receiver.ts';

/** Every command, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [
  start,
  demo,
  api,
  worker,
  migrate,
  accountCreate,
  accountList,
  accountPlan,
  endpointCreate,
  endpointList,
  endpointShow,
  endpointUpdate,
  endpointSecret,
  endpointRotate,
  endpointTest,
  endpointPause,
  endpointResume,
  endpointRedeliver,
  endpointDelete,
  replayList,
  replayStop,
  auditList,
  deliveryList,
  deliveryShow,
  deliveryRedeliver,
  deliveryRetry,
  deliveryCancel,
  keyCreate,
  keyList,
  keyRevoke,
  parcelAdd,
  parcelImport,
  parcelList,
  listCreate,
  listAdd,
  listRemove,
  listArchive,
  listRestore,
  listList,
  farmCreate,
  farmUpdate,
  farmList,
  searchCreate,
  leadSave,
  leadRelease,
  leadList,
  countyWatch,
  countyUnwatch,
  countyList,
  dealCreate,
  dealMove,
  dealUpdate,
  dealList,
  dealShow,
  orderList,
  orderShow,
  skiptraceOrder,
  skiptracePay,
  skiptraceComplete,
  skiptraceCancel,
  postcardCreate,
  postcardAdvance,
  postcardList,
  postcardShow,
  postcardCancel,
  rescoreRun,
  rescoreList,
  rescoreShow,
  receiverRun,
  receiverAnswer,
  receiverShow,
];
