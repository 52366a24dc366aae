/** The codes of the advertising hosts that endpoints throw, with the problem that each is (public practice). */
const adsCodes = {
  ACCOUNT_NOT_FOUND: 'forbidden',
  ACTION_NOT_ALLOWED: 'forbidden',
  DUPLICATE_TWEET: 'invalid-request',
  EXCLUSIVE_PARAMETERS: 'invalid-request',
  FEATURE_NOT_AVAILABLE: 'invalid-request',
  ILLEGAL_CHARACTERS: 'invalid-request',
  INCLUSIVE_PARAMETERS: 'invalid-request',
  INVALID: 'invalid-request',
  INVALID_CARD_COMPONENTS_COMBINATION: 'invalid-request',
  INVALID_FUNDING_INSTRUMENT: 'invalid-request',
  INVALID_IAB_CATEGORY: 'not-found',
  INVALID_ID_ILLEGAL_CHARACTERS: 'not-found',
  INVALID_MEDIA: 'invalid-request',
  INVALID_MEDIA_ID: 'invalid-request',
  INVALID_PARAMETER: 'invalid-request',
  INVALID_PLACEMENT_TYPE: 'invalid-request',
  INVALID_TARGETING_TYPE: 'invalid-request',
  INVALID_TIME_WINDOW: 'invalid-request',
  INVALID_TWEET: 'invalid-request',
  INVALID_USER_ID: 'invalid-request',
  MISSING_PARAMETER: 'invalid-request',
  NOT_FOUND: 'not-found',
  READONLY_CLIENT_APPLICATION: 'forbidden',
  SPEND_EXCEEDS_BUDGET: 'invalid-request',
  TOO_MANY_CAMPAIGNS: 'invalid-request',
  TOO_MANY_LINE_ITEMS: 'invalid-request',
  TWEET_CANNOT_BE_BLANK: 'invalid-request',
  UNAUTHORIZED_ACCESS: 'unauthorized',
  UNAUTHORIZED_CLIENT_APPLICATION: 'forbidden',
} as const

/** A code of the advertising hosts. Every resource has one for a record that does not exist: `CAMPAIGN_NOT_FOUND`. */
export type AdsCode = keyof typeof adsCodes | `${string}_NOT_FOUND`

/** The problem that a code is; `not-found` for those of resources. */
export const problemOf = (code: AdsCode): (typeof adsCodes)[keyof typeof adsCodes] =>
  code in adsCodes ? adsCodes[code as keyof typeof adsCodes] : 'not-found'
