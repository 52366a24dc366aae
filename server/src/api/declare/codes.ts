interface NumericError {
  status: number
  message: string
  /** Stands beside code and message. */
  label?: string
}

/** The numeric errors of sign-in and the `/1.1/` endpoints: HTTP status and message as clients match them (§7, public practice). */
export const codes = {
  32: { status: 401, message: 'Could not authenticate you.' },
  34: { status: 404, message: 'Sorry, that page does not exist.' },
  38: { status: 403, message: 'A parameter is missing or not valid.' },
  86: { status: 405, message: 'This method is not allowed here.' },
  88: { status: 429, message: 'Rate limit exceeded.' },
  89: { status: 401, message: 'Invalid or expired token.' },
  92: { status: 403, message: 'SSL is required.' },
  93: { status: 403, message: 'This application is not allowed to access or delete your direct messages.' },
  99: { status: 403, message: 'Unable to verify your credentials', label: 'authenticity_token_error' },
  130: { status: 503, message: 'Over capacity.' },
  131: { status: 500, message: 'Internal error.' },
  135: { status: 401, message: 'Timestamp out of bounds.' },
  144: { status: 404, message: 'No status found with that ID.' },
  150: { status: 403, message: 'You cannot send messages to users who are not following you.' },
  195: { status: 403, message: 'Missing or invalid url parameter.' },
  215: { status: 400, message: 'Bad authentication data.' },
  220: { status: 403, message: 'Your credentials do not allow access to this resource.' },
  261: { status: 403, message: 'Application cannot perform write actions.' },
  324: { status: 400, message: 'The validation of media ids failed.' },
  348: { status: 403, message: 'Client application is not permitted to to invalidate this token.' },
  349: { status: 403, message: 'You cannot send messages to this user.' },
  358: { status: 400, message: 'A parameter cannot be decoded.' },
  415: {
    status: 403,
    message: 'Callback URL not approved for this client application. Approved callback URLs can be adjusted in your application settings',
  },
  416: { status: 401, message: 'Invalid or suspended application.' },
  417: { status: 401, message: "Desktop applications only support the oauth_callback value 'oob'" },
} as const satisfies Record<number, NumericError>

export type Code = keyof typeof codes

/** The label of a code that has one. */
export const labelOf = (code: Code): string | undefined => (codes[code] as NumericError).label

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
