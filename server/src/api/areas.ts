import { type NotFound, nothingAt, nothingOnAds, pageDoesNotExist } from './answer/not-found.ts'
import { besideRequest, type Envelope, jsonAnswer, pageAnswer, plainBody, type SerializeAnswer } from './answer/serialize.ts'
import { oauth2Error } from './answer/serialize-oauth2-error.ts'
import { adsProblemJson, problemJson, problemPage, type SerializeProblem, signInProblem } from './answer/serialize-problem.ts'
import { ADS_VERSION, API_REVISION, type AreaName, areaNameOf, generalAreaNameOf } from './declare/area-names.ts'
import { adsLimit, type LimitNameOf, limitOfItsOwn } from './declare/limit-names.ts'
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
  pages: {
    headers: noStore,
    parameters: formPolicy,
    envelope: plainBody,
    answer: pageAnswer(noStore),
    refuse: problemPage(noStore),
    nothingAt,
    refusedSignature: signaturePages,
    describe: describedPages,
    limitName: limitOfItsOwn,
    originSetting: 'POSTERN_BASE_URL',
    isAudited: false,
  },
  operator: {
    headers: noStore,
    parameters: jsonPolicy,
    envelope: plainBody,
    answer: jsonAnswer(noStore),
    refuse: problemJson(noStore),
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
