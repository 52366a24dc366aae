/** Everything the log asks goes along an index: a plan made while the tables were small stays right when they have grown. */
export const indexesOnly = ['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off']

/**
 * Plans are kept, and statistics are taken at moments when `log_open` is empty: then walking a whole index looks as cheap as finding a
 * row by its key, and stays the plan when there are a million rows. With these off there is no way but by the key.
 */
export const keysOnly = [...indexesOnly, 'enable_indexscan = off', 'enable_indexonlyscan = off']
