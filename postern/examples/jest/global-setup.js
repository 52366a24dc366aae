import { startPostern } from 'postern'

/** Starts one server for all test files, outside of the sandboxes in which jest runs them. */
export default async function setUp() {
  const postern = await startPostern({ dialect: 'x' })
  globalThis.postern = postern
  process.env.POSTERN_URL = postern.url
  process.env.POSTERN_OPERATOR_TOKEN = postern.operatorToken
}
