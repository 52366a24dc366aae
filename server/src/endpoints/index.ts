import { createSubscription } from './activity/create-subscription.ts'
import { deleteSubscription } from './activity/delete-subscription.ts'
import { deleteSubscriptions } from './activity/delete-subscriptions.ts'
import { listSubscriptions } from './activity/list-subscriptions.ts'
import { invalidateBearerToken } from './oauth2/invalidate-bearer-token.ts'
import { obtainBearerToken } from './oauth2/obtain-bearer-token.ts'
import { listApps } from './operator/apps/list-apps.ts'
import { updateApp } from './operator/apps/update-app.ts'
import { getReplay } from './operator/get-replay.ts'
import { listAudit } from './operator/list-audit.ts'
import { listDeliveries } from './operator/list-deliveries.ts'
import { moveClock } from './operator/move-clock.ts'
import { publishEvents } from './operator/publish-events.ts'
import { reset } from './operator/reset.ts'
import { loadSeedEndpoint } from './operator/seed/load-seed-endpoint.ts'
import { accessToken } from './sign-in/access-token.ts'
import { authenticate, authorize } from './sign-in/authorize.ts'
import { decideApproval } from './sign-in/decide-approval.ts'
import { explanation } from './sign-in/explanation.ts'
import { invalidateToken } from './sign-in/invalidate-token.ts'
import { requestToken } from './sign-in/request-token.ts'
import { usersMe } from './users/users-me.ts'
import { verifyCredentials } from './users/verify-credentials.ts'
import { createWebhook } from './webhooks/create-webhook.ts'
import { deleteWebhook } from './webhooks/delete-webhook.ts'
import { listWebhooks } from './webhooks/list-webhooks.ts'
import { replayWebhook } from './webhooks/replay-webhook.ts'
import { validateWebhook } from './webhooks/validate-webhook.ts'

/** The general host, in the order of the specification. */
export const generalEndpoints = [
  createWebhook, // §4.1
  listWebhooks,
  validateWebhook,
  deleteWebhook,
  replayWebhook,
  requestToken, // §4.3
  authorize,
  decideApproval,
  authenticate,
  accessToken,
  invalidateToken,
  obtainBearerToken,
  invalidateBearerToken,
  usersMe, // §5
  verifyCredentials,
  createSubscription, // §6
  listSubscriptions,
  deleteSubscriptions,
  deleteSubscription,
]

/** The general host, in development only. */
export const developmentPages = [explanation]

/** For the operator, in every profile. */
export const operatorEndpoints = [loadSeedEndpoint, listApps, updateApp, publishEvents, listDeliveries, getReplay, listAudit]

/** For the operator, in development only. */
export const developmentEndpoints = [moveClock, reset]
