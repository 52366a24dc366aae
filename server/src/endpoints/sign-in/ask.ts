import { type BrowserCaller, formProof, newCookie, setCookie } from '../../access/browser-session.ts'
import type { Page } from '../../api/answer/page.ts'
import { type Approval, approvalPage } from './approval-page.ts'
import { type ApprovalRequest, subjectOf } from './approval-request.ts'

/** Asks the browser's user. Whoever has no cookie yet gets one, with which the form proves where it was made. */
export function ask(
  caller: BrowserCaller,
  request: ApprovalRequest,
  more: Pick<Approval, 'user' | 'screenName' | 'failure' | 'status' | 'headers'>,
): Page {
  const cookie = caller.cookie ?? newCookie()
  return approvalPage({
    request,
    ...more,
    proof: formProof(cookie, subjectOf(request)),
    cookie: caller.cookie === undefined ? setCookie(caller.client, cookie) : undefined,
  })
}
