import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import type { RequestToken } from '../../request-tokens.ts'
import type { NewRow, Row } from '../schema.ts'
import { sealedColumns } from './sealed-columns.ts'

const { purpose: SECRET } = sealedColumns.requestTokenSecret

export const openRequestToken = (seal: Seal, token: string, row: Row<'request_tokens'>): RequestToken => ({
  token,
  secret: seal.open(SECRET, row.secret_sealed),
  appId: row.app_id,
  callback: row.callback,
  access: row.access,
  expiresAtMs: row.expires_at_ms,
  granted: row.user_id !== null,
})

export const sealRequestToken = (seal: Seal, token: Omit<RequestToken, 'granted'>): NewRow<'request_tokens'> => ({
  token_sha256: sha256Hex(token.token),
  secret_sealed: seal.seal(SECRET, token.secret),
  app_id: token.appId,
  callback: token.callback,
  access: token.access,
  expires_at_ms: token.expiresAtMs,
  wrong_verifiers: 0,
})
