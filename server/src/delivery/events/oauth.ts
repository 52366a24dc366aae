import { eventFamily } from './event-type.ts'

/** Authorizations of apps. Such an event goes only to the app that its payload names. */
export const oauthEvents = eventFamily({
  'oauth.revoke': {
    summary: 'A user revoked the authorization of an app.',
    subject: 'the user who revoked it',
    filter: ['userId'],
    unfiltered: true,
    consent: null,
  },
})
