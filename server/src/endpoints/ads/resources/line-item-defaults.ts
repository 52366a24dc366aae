import type { Long } from '../../../lib/numbers.ts'

interface Given {
  objective?: string
  goal?: string
  pay_by?: string
  bid_strategy?: string
  bid_amount_local_micro?: Long | null
}

type Goal = 'ENGAGEMENT' | 'APP_CLICKS' | 'APP_INSTALLS' | 'FOLLOWERS' | 'MAX_REACH' | 'VIDEO_VIEW' | 'PREROLL' | 'LINK_CLICKS'
type PayBy = 'APP_CLICK' | 'IMPRESSION' | 'LINK_CLICK' | 'ENGAGEMENT' | 'FOLLOW' | 'VIEW'
type BidStrategy = 'AUTO' | 'MAX' | 'TARGET'

const goalOf: Record<string, Goal> = {
  APP_ENGAGEMENTS: 'APP_CLICKS',
  APP_INSTALLS: 'APP_INSTALLS',
  ENGAGEMENTS: 'ENGAGEMENT',
  FOLLOWERS: 'FOLLOWERS',
  PREROLL_VIEWS: 'PREROLL',
  REACH: 'MAX_REACH',
  VIDEO_VIEWS: 'VIDEO_VIEW',
  WEBSITE_CLICKS: 'LINK_CLICKS',
}

/** The default `pay_by` of goals; `IMPRESSION` for all others (§4.8: for `APP_INSTALLS` and `LINK_CLICKS`). */
const payByOf: Record<string, PayBy> = {
  APP_CLICKS: 'APP_CLICK',
  ENGAGEMENT: 'ENGAGEMENT',
  FOLLOWERS: 'FOLLOW',
  PREROLL: 'VIEW',
  VIDEO_VIEW: 'VIEW',
}

/** `TARGET` bids are not paid by impression (§4.8): instead by clicks, for `APP_INSTALLS` on the app, otherwise on a link. */
const payByOfTarget: Record<string, PayBy> = { ...payByOf, APP_INSTALLS: 'APP_CLICK' }

/** With a bid the default strategy is `MAX`, if the objective allows that. */
function strategyOf({ objective, bid_amount_local_micro: bid }: Given): BidStrategy {
  if (bid === undefined || bid === null) return 'AUTO'
  return objective === 'REACH' || objective === 'FOLLOWERS' ? 'TARGET' : 'MAX'
}

/** The default `pay_by`. */
export const defaultPayBy = (goal: string, strategy: string): PayBy =>
  strategy === 'TARGET' ? (payByOfTarget[goal] ?? 'LINK_CLICK') : (payByOf[goal] ?? 'IMPRESSION')

/** The defaults of goal, strategy and `pay_by` for a new line item, which depend on the objective (§4.8). */
export function defaultsOf(given: Given) {
  const goal = (given.goal ?? goalOf[given.objective ?? ''] ?? 'ENGAGEMENT') as Goal
  const bid_strategy = (given.bid_strategy ?? strategyOf(given)) as BidStrategy
  const pay_by = (given.pay_by ?? defaultPayBy(goal, bid_strategy)) as PayBy
  return { goal, bid_strategy, pay_by, ...(bid_strategy === 'AUTO' && { bid_amount_local_micro: null }) }
}
