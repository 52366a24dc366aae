/** Settings by their environment variables, as `docs/configuration.md` lists them: `{ POSTERN_RATE_LIMITS: 'off' }`. */
export type SettingValues = Readonly<Record<`POSTERN_${string}`, string>>

/** A seed: apps, users, tokens, posts and whatever else `docs/seeds.md` describes. */
export interface Seed {
  apps?: readonly SeedApp[]
  users?: readonly SeedUser[]
  tokens?: readonly SeedToken[]
  [kind: string]: unknown
}

export interface SeedApp {
  id?: string
  name?: string
  consumer_key?: string
  consumer_secret?: string
  oauth2_client_id?: string
  oauth2_client_secret?: string
  [setting: string]: unknown
}

export interface SeedUser {
  id?: string
  username: string
  [member: string]: unknown
}

export interface SeedToken {
  consumer_key: string
  user_id: string
  oauth_token: string
  oauth_token_secret: string
  [member: string]: unknown
}

/** How a Postern is started. */
export interface StartOptions {
  /** How names are spelled on the wire: `x` for clients written for those (`tweet`, `twitter`). Default: `spec`. */
  dialect?: 'spec' | 'x'
  /** A seed, or the path of a seed file. Default: the demo seed, with its user `ada` and its app `Demo`. */
  seed?: Seed | string
  /** `sqlite:<file>`, `sqlite::memory:` or `postgres://…`. Default: in memory. */
  database?: string
  /** What to log; `postern.log` has the lines. Default: `info`. */
  logLevel?: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
  /** Other settings. Those of this process' environment do not count, so that a test means the same everywhere. */
  settings?: SettingValues
}
