import { freePort } from './free-port.ts'
import { type Stage, type StageOptions, setStage } from './postern.ts'

export interface PublicHost extends AsyncDisposable {
  /** Its calls go where the server listens, past any proxy. */
  stage: Stage
  port: number
}

/** A server that is known by public origins. */
export async function setPublicHost(origins: readonly string[], options: StageOptions): Promise<PublicHost> {
  const port = await freePort()
  const environment = { POSTERN_BASE_URL: origins.join(), POSTERN_PORT: String(port), ...options.environment }
  const stage = await setStage({ ...options, environment })
  const here = `http://127.0.0.1:${port}`
  const isApart = stage.origins.operator_url !== stage.origins.base_url
  stage.origins = { ...stage.origins, base_url: here, ...(!isApart && { operator_url: here }) }
  return { stage, port, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}
