/** The metadata key of the event log that belongs to the state: its id and newest event. */
export const EVENT_LOG = 'event_log'
