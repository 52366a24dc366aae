/** The metadata key of what the processes on a database were started with, as JSON by the names of the variables. */
export const SHARED_SETTINGS = 'shared_settings'
