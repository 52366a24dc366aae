/** The advertising hosts: an account lives on one of them. */
export const PRODUCTION = 'production'
export const SANDBOX = 'sandbox'
