/** Every query of the log uses an index. So a plan that was made for small tables is still good when they have grown. */
export const indexesOnly = ['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off']

/** A plan for the values of each call would be no other one. By itself PostgreSQL makes it anew for each small batch, which takes 1 ms. */
const PLANNED_ONCE = 'plan_cache_mode = force_generic_plan'

/**
 * Plans are cached, and statistics may be collected while `log_open` is empty. Then a scan of a whole index looks as cheap as a lookup by
 * key, and stays the plan when there are a million rows. With these settings only a lookup by key is left.
 */
export const keysOnly = [...indexesOnly, 'enable_indexscan = off', 'enable_indexonlyscan = off', PLANNED_ONCE]

/**
 * The rows of a webhook, for an order that begins with `webhook_id`. With an equality the planner drops that from the order, and where most
 * rows are those of one webhook it walks an index of all webhooks.
 */
export const ofWebhook = (id: string) => `webhook_id between ${id} and ${id}`
