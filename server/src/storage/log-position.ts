/** The metadata that says which event log the state goes with, and how far that goes. */
export const EVENT_LOG = 'event_log'
