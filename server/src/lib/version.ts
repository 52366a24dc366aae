/** The version of Postern: of its packages, and of the database that it migrates to. */
export const VERSION = '0.2.0'
