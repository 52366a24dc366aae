import { Pool, type PoolConfig, types } from 'pg'

const INT8 = 20

/** As the pools of the server read it. */
export const getTypeParser = ((oid: number, format?: 'text') =>
  oid === INT8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser

/** A pool of a test. Its end does not wait for the connections: one that still closes when its database is dropped says so, to nobody. */
export const openPool = (url: string, max: number, more: PoolConfig = {}) =>
  new Pool({ connectionString: url, max, ...more }).on('error', () => {})
