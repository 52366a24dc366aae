/** A bucket, or a part of one, of S3 or of a server that is compatible with it. */
export interface S3Place {
  bucket: string
  /** What all keys begin with: empty, or ending with a slash. */
  prefix: string
  /** Where the server is, if it is not Amazon's. */
  endpoint?: string
  region: string
}

const USUAL_REGION = 'us-east-1'

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const PREFIX = /^([\w-][\w.-]*(\/[\w-][\w.-]*)*)?$/

const FORM = 's3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1'

function endpointOf(text: string | null): string | undefined {
  if (text === null) return undefined
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search)
    throw new Error(`has an endpoint that is not an http or https URL without credentials: "${text}"`)
  return url.href.replace(/\/$/, '')
}

/** Reads `s3://bucket/prefix?endpoint=…&region=…`; throws an Error whose message follows the name of the setting. Credentials stand elsewhere. */
export function readS3Place(text: string): S3Place {
  const url = URL.parse(text)
  if (url?.protocol !== 's3:' || url.username || url.password || url.port || url.hash) throw new Error(`must be like ${FORM}`)
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'endpoint' && name !== 'region')
  if (unknown !== undefined) throw new Error(`has a parameter that is not known: "${unknown}"; it must be like ${FORM}`)
  const prefix = url.pathname.replace(/^\/|\/$/g, '')
  if (!BUCKET.test(url.hostname) || !PREFIX.test(prefix)) throw new Error(`must name a bucket and may name a prefix, like ${FORM}`)
  const endpoint = endpointOf(url.searchParams.get('endpoint'))
  return {
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    ...(endpoint !== undefined && { endpoint }),
    region: url.searchParams.get('region') ?? USUAL_REGION,
  }
}
