import { besideRequest, type Envelope, JSON_TYPE, jsonAnswer, pageAnswer, plainBody, type SerializeAnswer } from './answer/serialize.ts'
import { adsProblemJson, problemJson, problemPage, type SerializeProblem, signInProblem } from './answer/serialize-problem.ts'
import { ADS_VERSION, API_REVISION, type AreaName, areaNameOf, generalAreaNameOf } from './declare/area-names.ts'
import type { Endpoint } from './declare/endpoint.ts'
import { coded, oauth2ErrorOf, Problem } from './declare/problem.ts'
import {
  adsSignatureErrors,
  type RefusedSignature,
  signatureCodes,
  signaturePages,
  signatureProblems,
} from './declare/refused-signature.ts'
import {
  type DescribedArea,
  describedAds,
  describedCodes,
  describedOAuth2,
  describedPages,
  describedProblems,
} from './describe/area-description.ts'
import { adsPolicy } from './read/ads-policy.ts'
import { formOrJsonPolicy, formPolicy, jsonPolicy } from './read/general-policy.ts'
import type { ParameterPolicy } from './read/parameter-policy.ts'

const MAX_LENGTH = 1000

/** The characters that `error_description` may have (RFC 6749, section 5.2). */
const describable = (text: string) =>
  text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replace(/[^ -~]/g, '?')
    .slice(0, MAX_LENGTH)

/** `error` and `error_description` (RFC 6749, section 5.2). */
const oauth2Error =
  (headers: Record<string, string>): SerializeProblem =>
  (problem) => {
    const { errors = [], detail = '' } = problem.members
    const description = errors.length > 0 ? errors.map(({ message }) => message).join(' ') : detail || problem.message
    return {
      status: problem.status,
      headers: { ...headers, ...problem.headers, 'content-type': JSON_TYPE },
      body: JSON.stringify({ error: oauth2ErrorOf(problem), error_description: describable(description) }),
    }
  }

/** The rate limit that a call is counted by: its name in the table of limits. */
type LimitNameOf = (endpoint: Endpoint, query: string) => string

/** Each endpoint has a limit of its own name. */
const limitOfItsOwn: LimitNameOf = ({ limitName }) => limitName

/** A quick look first: nearly no request asks for it. */
const asksForTotal = (query: string) =>
  /total|%/i.test(query) && new URLSearchParams(query).getAll('with_total_count').some((value) => value.toLowerCase() === 'true')

/**
 * The advertising hosts count all writes together but those of users of audiences, and reads by what they read; a list that also counts its
 * records has a limit of its own. An endpoint that declares a number is counted by itself.
 */
const adsLimit: LimitNameOf = ({ method, params, rateLimit, limitName }, query) => {
  if (typeof rateLimit === 'number') return limitName
  if (rateLimit === 'audience') return 'adsAudienceUsers'
  if (method !== 'GET') return 'adsWrites'
  if ('with_total_count' in params && asksForTotal(query)) return 'adsTotals'
  return rateLimit === 'core' ? 'adsCoreReads' : 'adsReads'
}

/** Why a host has no endpoint at a path. */
type NotFound = (path: string) => Problem

const nothingAt: NotFound = (path) => new Problem('not-found', { detail: `No endpoint has this path on this host: ${path.slice(0, 200)}` })

const pageDoesNotExist: NotFound = () => coded(34)

/** An advertising host says first whether it serves the version at all (§9); `/2/` is the general host's, but for the accounts of former clients. */
const nothingOnAds: NotFound = (path) => {
  const version = /^\/(?!2\/(?!accounts(?:\/|$)))(\d{1,3})(?:\/|$)/.exec(path)?.[1]
  if (version === undefined || version === ADS_VERSION) return nothingAt(path)
  return new Problem('forbidden', { errors: [{ code: 'INVALID', message: `Version ${version} is not available.` }] })
}

/** A part of the interface, and everything that it does in its own way. */
export interface Area extends DescribedArea {
  /** On every answer. */
  headers: Record<string, string>
  /** How parameters are read. */
  parameters: ParameterPolicy
  /** What the body of an answer holds besides the value of the handler. */
  envelope: Envelope
  answer: SerializeAnswer
  refuse: SerializeProblem
  /** The problem of a path that has no endpoint. */
  nothingAt: NotFound
  refusedSignature: RefusedSignature
  limitName: LimitNameOf
  /** The setting with the public origins of its hosts, for messages. */
  originSetting: string
  /** Whether its calls are written into the audit log. */
  isAudited: boolean
}

const noStore = { 'cache-control': 'no-cache, no-store, max-age=0' }
const v2Headers = { ...noStore, 'api-version': API_REVISION }
/** Of answers with tokens (RFC 6749, section 5.1). */
const tokenHeaders = { ...v2Headers, pragma: 'no-cache' }
const adsHeaders = { ...noStore, 'x-current-api-version': ADS_VERSION }

/** A browser that is signed in to the console may be led to them. */
const operatorHeaders = { ...noStore, 'x-content-type-options': 'nosniff' }

/** Pages for browsers. */
const pagesArea = (headers: Record<string, string>): Area => ({
  headers,
  parameters: formPolicy,
  envelope: plainBody,
  answer: pageAnswer(headers),
  refuse: problemPage(headers),
  nothingAt,
  refusedSignature: signaturePages,
  describe: describedPages,
  limitName: limitOfItsOwn,
  originSetting: 'POSTERN_BASE_URL',
  isAudited: false,
})

/** All that the areas do differently: nothing else asks which area it is. */
export const areas: Record<AreaName, Area> = {
  v2: {
    headers: v2Headers,
    parameters: jsonPolicy,
    envelope: plainBody,
    answer: jsonAnswer(v2Headers),
    refuse: problemJson(v2Headers),
    nothingAt,
    refusedSignature: signatureProblems,
    describe: describedProblems,
    limitName: limitOfItsOwn,
    originSetting: 'POSTERN_BASE_URL',
    isAudited: false,
  },
  sign_in: {
    headers: noStore,
    parameters: formPolicy,
    envelope: plainBody,
    answer: jsonAnswer(noStore),
    refuse: signInProblem(noStore),
    nothingAt: pageDoesNotExist,
    refusedSignature: signatureCodes,
    describe: describedCodes,
    limitName: limitOfItsOwn,
    originSetting: 'POSTERN_BASE_URL',
    isAudited: false,
  },
  oauth2: {
    headers: tokenHeaders,
    parameters: formOrJsonPolicy,
    envelope: plainBody,
    answer: jsonAnswer(tokenHeaders),
    refuse: oauth2Error(tokenHeaders),
    nothingAt,
    refusedSignature: signatureCodes,
    describe: describedOAuth2,
    limitName: limitOfItsOwn,
    originSetting: 'POSTERN_BASE_URL',
    isAudited: false,
  },
  pages: pagesArea(noStore),
  v2_pages: pagesArea(v2Headers),
  operator: {
    headers: operatorHeaders,
    parameters: jsonPolicy,
    envelope: plainBody,
    answer: jsonAnswer(operatorHeaders),
    refuse: problemJson(operatorHeaders),
    nothingAt,
    refusedSignature: signatureProblems,
    describe: describedProblems,
    limitName: limitOfItsOwn,
    originSetting: 'POSTERN_BASE_URL',
    isAudited: true,
  },
  ads: {
    headers: adsHeaders,
    parameters: adsPolicy,
    envelope: besideRequest,
    answer: jsonAnswer(adsHeaders),
    refuse: adsProblemJson(adsHeaders),
    nothingAt: nothingOnAds,
    refusedSignature: adsSignatureErrors,
    describe: describedAds,
    limitName: adsLimit,
    originSetting: 'POSTERN_ADS_BASE_URL (of the sandbox POSTERN_ADS_SANDBOX_BASE_URL)',
    isAudited: false,
  },
}

/** The area of a declared path. */
export const areaOf = (path: string): Area => areas[areaNameOf(path)]

/** The area of a path on the general host. */
export const generalAreaOf = (path: string): Area => areas[generalAreaNameOf(path)]
