import { type RunningServer, readRunningServer } from '../../../server/src/lib/running-server.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where a Postern is called. */
export interface Addresses {
  url: string
  operatorUrl: string
  /** The server that runs in this folder, where no address is given. */
  running?: RunningServer
}

const FOLDER = '.postern'
const USUAL_PORT = '4000'

/**
 * Where a Postern is: where somebody says; else the one that runs in this folder; else the ports of the settings on loopback. An address that
 * somebody says is never altered: `POSTERN_OPERATOR_PORT` is a setting of the server that would be started here, which another one need not have.
 */
export function addressesOf(said: { url?: string; operatorUrl?: string }, environment: Environment, folder = FOLDER): Addresses {
  const { POSTERN_URL, POSTERN_OPERATOR_URL, POSTERN_PORT = USUAL_PORT, POSTERN_OPERATOR_PORT = POSTERN_PORT } = environment
  const [url, operatorUrl] = [said.url ?? POSTERN_URL, said.operatorUrl ?? POSTERN_OPERATOR_URL]
  if (url !== undefined) return { url, operatorUrl: operatorUrl ?? url }
  const running = readRunningServer(folder)
  if (running && (operatorUrl === undefined || operatorUrl === running.operator_url))
    return { url: running.url, operatorUrl: running.operator_url, running }
  const onLoopback = (port: string) => `http://127.0.0.1:${port}`
  return { url: onLoopback(POSTERN_PORT), operatorUrl: operatorUrl ?? onLoopback(POSTERN_OPERATOR_PORT) }
}
