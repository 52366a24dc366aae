import type { Ungiven } from '../../storage/oauth2-grants.ts'

/** Why an authorization code gave no tokens: a reason, and what to do. */
export const whyNoCode: Record<Ungiven | 'reused', readonly [reason: string, ...more: string[]]> = {
  unknown: [
    'There is no such authorization code.',
    'It never was, was cut on its way, or has expired: a code is valid for 30 seconds.',
    'Sign the user in again.',
  ],
  reused: [
    'The authorization code was exchanged before, and what the first exchange gave has ended now.',
    'A code is good for one exchange, because whoever sends it again may have stolen it.',
    'Look for a redirect that is followed twice, or a client that repeats its call. Sign the user in again.',
  ],
  foreign: ['The authorization code was given to another app.', 'Exchange it with the client id of the authorization request.'],
  expired: [
    'The authorization code has expired: it is valid for 30 seconds.',
    'Sign the user in again, and exchange the code as soon as it arrives.',
  ],
  disabled: ['The user who approved is disabled.'],
  rotated: ['There is no such authorization code.'],
}

/** Why a refresh token gave no tokens. */
export const whyNoRefresh: Record<Ungiven | 'reused', readonly [reason: string, ...more: string[]]> = {
  unknown: [
    'The grant of this refresh token has ended.',
    'It was revoked, or a former refresh token was used again. Sign the user in again.',
  ],
  reused: [
    'The refresh token was used before, and its grant has ended now with all its tokens.',
    'Each refresh gives a new refresh token, and whoever sends the former one may have stolen it. Store the new one. Sign the user in again.',
  ],
  foreign: ['The refresh token was given to another app.', 'Refresh it with the client that got it.'],
  expired: ['The refresh token has expired: it is valid for 180 days since its last use.', 'Sign the user in again.'],
  disabled: ['The user who approved is disabled.'],
  rotated: [
    'The refresh token was replaced a moment ago, by another refresh.',
    'The grant still stands: use the refresh token that the other refresh got. From 10 seconds after the replacement on, the former one ends the grant.',
  ],
}
