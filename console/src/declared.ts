// Printed by `npm run docs` from the declarations of endpoints.
// biome-ignore-all lint/suspicious/noExplicitAny: members that are not declared further
import type { EventTypeName } from '../../postern/src/kit/declared.ts'

/** What a seed creates. */
export type SeededKind =
  | 'apps'
  | 'users'
  | 'tokens'
  | 'webhooks'
  | 'subscriptions'
  | 'accounts'
  | 'product_catalogs'
  | 'topics'
  | 'places'
  | 'media'
  | 'polls'
  | 'posts'
  | 'lists'
  | 'spaces'
  | 'direct_messages'
  | 'reposts'
  | 'follows'
  | 'mutes'
  | 'blocks'
  | 'likes'
  | 'bookmarks'
  | 'members'
  | 'list_members'
  | 'list_followers'
  | 'list_pins'
  | 'space_buyers'
  | 'products'
  | 'product_sets'
  | 'account_apps'
  | 'promotable_users'
  | 'funding_instruments'
  | 'campaigns'
  | 'line_items'
  | 'targeting_criteria'
  | 'promoted_posts'
  | 'line_item_curated_categories'
  | 'custom_audiences'
  | 'tailored_audience_permissions'
  | 'do_not_reach_lists'
  | 'account_media'
  | 'media_library'
  | 'cards'

/** What the operator API answers, by the call. Of an answer without an end, what one of its lines is. */
export interface OperatorAnswers {
  'GET /operator/server': {
    data: {
      pid: number
      worker: number
      profile: 'development' | 'production'
      dialect: 'spec' | 'x'
      version: string
      roles: ('api' | 'delivery' | 'stream')[]
      database: string
      ads_sandbox_base_url: string
      started_at: string
      held_since: string | null
    }
  }
  'GET /operator/overview': {
    data: {
      now: string
      worker: number
      processes: number
      covers: { worker: number; state: 'answers' | 'answered' | 'silent' | 'ended'; since: string | null }[]
      since: string
      held_since: string | null
      last_minute: { accepted_per_second: number; delivered_per_second: number; p50_ms: number | null; p99_ms: number | null }
      last_hour: {
        accepted: number
        delivered: number
        failed: number
        not_sent: number
        p50_ms: number | null
        p99_ms: number | null
        refused: {
          invalid: number
          unauthorized: number
          forbidden: number
          not_found: number
          rate_limited: number
          other: number
          failed: number
          unavailable: number
        }
      }
      waiting: {
        oldest_ms: number | null
        retries_due: number | null
        retries_next_hour: number | null
        webhooks_valid: number | null
        webhooks_invalid: number | null
      }
      buckets: {
        from: string
        seconds: number
        accepted: number[]
        delivered: number[]
        failed: number[]
        not_sent: number[]
        p50_ms: (number | null)[]
        p99_ms: (number | null)[]
        refused: {
          invalid: number[]
          unauthorized: number[]
          forbidden: number[]
          not_found: number[]
          rate_limited: number[]
          other: number[]
          failed: number[]
          unavailable: number[]
        }
      }
    }
  }
  'GET /operator/usage': {
    data: {
      app_id: string
      calls: number
      refusals: number
      events: number
      deliveries: number
      attempts: number
      failed_attempts: number
      bytes: number
      callback_ms: number
      backlog: number
      backlog_age_ms: number | null
      rows: number
      month_events: number
      month_deliveries: number
    }[]
    meta: {
      from: string
      to: string
      result_count: number
      others: {
        calls: number
        refusals: number
        events: number
        deliveries: number
        attempts: number
        failed_attempts: number
        bytes: number
        callback_ms: number
      }
    }
  }
  'POST /operator/release': { data: { was_held_since: string | null } }
  'GET /operator/processes': {
    data: {
      worker: number
      answers: boolean
      version: string | null
      roles: ('api' | 'delivery' | 'stream')[] | null
      host: string | null
      pid: number | null
      started_at: string | null
      session_since: string | null
      session_used_at: string | null
      feed_lag_ms: number | null
      event_loop_delay_ms: number | null
      in_flight: number | null
      waiting: number | null
      logs_away: number[] | null
      broker: 'consuming' | 'paused' | 'away' | null
      frozen: boolean
    }[]
  }
  'GET /operator/storage': {
    data: {
      database: string
      total_bytes: number
      parts: { name: string; bytes: number }[]
      wal_bytes: number | null
      disk: { free_bytes: number; total_bytes: number } | null
      events: number
      oldest_event_at: string | null
    }
  }
  'GET /operator/logs': {
    data: {
      log: number
      database: string
      state: 'used' | 'draining' | 'unused'
      slots: number
      leaving: number
      events: number | null
      oldest_event_at: string | null
      away_since: string | null
    }[]
  }
  'POST /operator/logs/:log/add': { data: { moved: number } }
  'POST /operator/logs/:log/drain': { data: { moved: number; lost_before: string | null } }
  'GET /operator/session': {
    data: {
      operator: { name: string | null; role: 'read' | 'operate'; expires_at: string } | null
      portal: { app_id: string; app_name: string; expires_at: string } | null
      needs_token: boolean
    }
  }
  'POST /operator/session': { data: { operator: { name: string | null; role: 'read' | 'operate'; expires_at: string } } }
  'DELETE /operator/session': { data: { signed_out: boolean } }
  'POST /operator/portal-session': { data: { portal: { app_id: string; app_name: string; expires_at: string } } }
  'GET /operator/feed': {
    updates?: (
      | {
          kind: 'call'
          at: string
          sequence: number
          method: string
          path: string
          endpoint: string | null
          app_id: string | null
          user_id: string | null
          status: number
          duration_ms: number
          unmatched: { event_type: string; user_id: string }[]
        }
      | {
          kind: 'event'
          at: string
          event_uuid: string
          event_type: string
          user_id: string
          deliveries: number
          webhook_ids: string[]
          kept_back: string[]
        }
      | {
          kind: 'attempt'
          at: string
          accepted_at: string
          event_uuid: string
          event_type: string
          webhook_id: string
          n: number
          outcome: 'delivered' | 'failed' | 'not_sent'
          status: number | null
          latency_ms: number
          state: 'pending' | 'delivered' | 'retrying' | 'given_up' | 'not_sent'
          next_try_at: string | null
          is_replay: boolean
        }
      | { kind: 'challenge'; at: string; webhook_id: string | null; app_id: string | null; passed: boolean }
    )[]
    skipped?: number
    worker?: number
    processes?: number
    covers_all?: boolean
    now?: string
  }
  'POST /operator/seed': {
    data: {
      created: { kind: SeededKind; id: string; fields?: string[] }[]
      existing: { kind: SeededKind; id: string; fields?: string[] }[]
      differing: { kind: SeededKind; id: string; fields?: string[] }[]
    }
  }
  'GET /operator/apps': {
    data: {
      id: string
      consumer_key: string
      name: string
      callback_urls: string[]
      permissions: 'read' | 'read_write' | 'read_write_dm'
      sign_in_with_service?: boolean
      sign_in_with_twitter?: boolean
      webhook_limit: number
      ads_access: boolean
      early_access: ('catalogs' | 'account_history' | 'advertiser_user_id')[]
      activity_enrolled: boolean
      usage_cap: number | null
      event_quota: number | null
      delivery_quota: number | null
      row_quota: number | null
      oauth2_client_type: 'confidential' | 'public' | null
      suspended: boolean
      oauth2_client_id: string | null
      previous_secret_until: string | null
      created_at: string
    }[]
    meta: { result_count: number; next_after?: string }
  }
  'POST /operator/apps': {
    data: {
      id: string
      consumer_key: string
      name: string
      callback_urls: string[]
      permissions: 'read' | 'read_write' | 'read_write_dm'
      sign_in_with_service?: boolean
      sign_in_with_twitter?: boolean
      webhook_limit: number
      ads_access: boolean
      early_access: ('catalogs' | 'account_history' | 'advertiser_user_id')[]
      activity_enrolled: boolean
      usage_cap: number | null
      event_quota: number | null
      delivery_quota: number | null
      row_quota: number | null
      oauth2_client_type: 'confidential' | 'public' | null
      suspended: boolean
      oauth2_client_id: string | null
      previous_secret_until: string | null
      created_at: string
      consumer_secret: string
      oauth2_client_secret: string | null
    }
  }
  'GET /operator/apps/:app_id': {
    data: {
      id: string
      consumer_key: string
      name: string
      callback_urls: string[]
      permissions: 'read' | 'read_write' | 'read_write_dm'
      sign_in_with_service?: boolean
      sign_in_with_twitter?: boolean
      webhook_limit: number
      ads_access: boolean
      early_access: ('catalogs' | 'account_history' | 'advertiser_user_id')[]
      activity_enrolled: boolean
      usage_cap: number | null
      event_quota: number | null
      delivery_quota: number | null
      row_quota: number | null
      oauth2_client_type: 'confidential' | 'public' | null
      suspended: boolean
      oauth2_client_id: string | null
      previous_secret_until: string | null
      created_at: string
    }
  }
  'PATCH /operator/apps/:app_id': {
    data: {
      id: string
      consumer_key: string
      name: string
      callback_urls: string[]
      permissions: 'read' | 'read_write' | 'read_write_dm'
      sign_in_with_service?: boolean
      sign_in_with_twitter?: boolean
      webhook_limit: number
      ads_access: boolean
      early_access: ('catalogs' | 'account_history' | 'advertiser_user_id')[]
      activity_enrolled: boolean
      usage_cap: number | null
      event_quota: number | null
      delivery_quota: number | null
      row_quota: number | null
      oauth2_client_type: 'confidential' | 'public' | null
      suspended: boolean
      oauth2_client_id: string | null
      previous_secret_until: string | null
      created_at: string
      consumer_secret?: string
      oauth2_client_secret?: string
    }
  }
  'DELETE /operator/apps/:app_id': { data: { deleted: boolean } }
  'POST /operator/apps/:app_id/portal': { data: { url: string; expires_at: string } }
  'DELETE /operator/apps/:app_id/portal': { data: { ended: boolean } }
  'GET /operator/users': {
    data: { id: string; username: string; name: string; disabled: boolean; created_at: string }[]
    meta: { result_count: number; next_after?: string }
  }
  'GET /operator/users/:user_id/consents': {
    data: {
      app_id: string
      tokens: { access: 'read' | 'read_write' | 'read_write_dm'; granted_at: string }[]
      grants: { scopes: string[]; granted_at: string; expires_at: string }[]
    }[]
    meta: { result_count: number; next_after?: string }
  }
  'PATCH /operator/users/:user_id': { data: { id: string; username: string; name: string; disabled: boolean; created_at: string } }
  'DELETE /operator/users/:user_id': { data: { deleted: boolean } }
  'POST /operator/tokens/revoke': { data: { revoked: number } }
  'DELETE /operator/sessions': { data: { ended: number } }
  'GET /operator/webhooks': {
    data: {
      id: string
      app_id: string
      url: string
      valid: boolean
      created_at: string
      last_challenge: { at: string; result: 'passed' | 'failed'; failure: string | null } | null
      backlog: number | null
    }[]
    meta: { result_count: number; next_after?: string }
  }
  'GET /operator/webhooks/:webhook_id/challenges': {
    data: { at: string; result: 'passed' | 'failed'; failure: string | null }[]
    meta: { result_count: number }
  }
  'POST /operator/webhooks/:webhook_id/challenge': {
    data: {
      valid: boolean
      failure: string | null
      steps: {
        step: 'resolve' | 'address' | 'connect' | 'tls' | 'request' | 'status' | 'body' | 'signature'
        outcome: 'ok' | 'mend'
        ms: number
        says: string
        mend?: string
      }[]
    }
  }
  'GET /operator/webhooks/:webhook_id/subscriptions': {
    data: {
      subscription_id: string
      event_type: EventTypeName
      filter: { user_id?: string; keyword?: string; direction?: 'sent' | 'received' }
      created_at: string
      updated_at: string
      tag?: string
      webhook_id?: string
      state?: 'active' | 'consent_revoked'
      no_effect?: string
    }[]
    meta: { result_count: number; next_after?: string }
  }
  'GET /operator/streams': {
    data: { id: string; app_id: string; connected_at: string; worker: number }[]
    meta: { result_count: number; next_after?: string }
  }
  'POST /operator/events': {
    data: { event_uuid: string; matched?: { subscriptions: number; deliveries: number; reasons: string[] } }[]
    meta: { subscriptions: number; deliveries: number }
    warnings?: { event_uuid: string; event_type: string; path: string; message: string }[]
  }
  'GET /operator/events': {
    data: { event_uuid: string; event_type: string; user_id: string; accepted_at: string; path: string; excerpt: string }[]
    meta: { result_count: number; looked_until: string; next_before?: string }
  }
  'GET /operator/events/:event_uuid': {
    data: {
      event_uuid: string
      event_type: string
      user_id: string
      accepted_at: string
      payload: Record<string, any>
      includes?: Record<string, any>
      deliveries: {
        event_uuid: string
        event_type: string
        user_id: string
        webhook_id: string
        app_id: string | null
        url: string | null
        accepted_at: string
        state: 'pending' | 'delivered' | 'retrying' | 'given_up' | 'not_sent'
        next_try_at: string | null
        hint?: string
        attempts: {
          n: number
          at: string
          outcome: 'delivered' | 'failed' | 'not_sent'
          status: number | null
          latency_ms: number
          timing?: { resolved_ms: number | null; connected_ms: number | null; secured_ms: number | null; answered_ms: number | null }
          error: string
          response: string
          hint?: string
          replay_job_id: string | null
        }[]
        filter: Record<string, any>
        tag?: string
      }[]
    }
  }
  'GET /operator/events/:event_uuid/near_misses': {
    data: { subscription_id: string; app_id: string; webhook_id: string | null; reason: string }[]
    meta: { result_count: number; more: number }
  }
  'GET /operator/parked_messages': {
    data: {
      message_id: string
      stream: string
      sequence: number
      subject: string
      reason: string
      bytes: number
      content: string
      received_at: string
      parked_at: string
    }[]
    meta: { result_count: number; next_before?: string }
  }
  'GET /operator/parked_messages/:message_id': {
    data: {
      message_id: string
      stream: string
      sequence: number
      subject: string
      reason: string
      bytes: number
      content: string
      received_at: string
      parked_at: string
    }
  }
  'DELETE /operator/parked_messages/:message_id': { data: { message_id: string } }
  'GET /operator/deliveries': {
    data: {
      event_uuid: string
      event_type: string
      user_id: string
      webhook_id: string
      app_id: string | null
      url: string | null
      accepted_at: string
      state: 'pending' | 'delivered' | 'retrying' | 'given_up' | 'not_sent'
      next_try_at: string | null
      hint?: string
      attempts: {
        n: number
        at: string
        outcome: 'delivered' | 'failed' | 'not_sent'
        status: number | null
        latency_ms: number
        timing?: { resolved_ms: number | null; connected_ms: number | null; secured_ms: number | null; answered_ms: number | null }
        error: string
        response: string
        hint?: string
        replay_job_id: string | null
      }[]
    }[]
    meta: { result_count: number; next_before?: string }
  }
  'POST /operator/deliveries/resend': {
    data: {
      resent: number
      would_resend?: number
      webhooks?: { webhook_id: string; app_id: string; deliveries: number; refused?: string }[]
    }
    meta: { next_after?: string }
  }
  'POST /operator/resends': {
    data: {
      job_id: string
      app_id: string | null
      event_type: EventTypeName | null
      states: ('given_up' | 'not_sent' | 'delivered')[]
      from: string
      to: string
      state: 'running' | 'complete' | 'incomplete' | 'cancelled'
      resent: number
      refused: number
      created_at: string
      finished_at: string | null
    }
  }
  'GET /operator/resends': {
    data: {
      job_id: string
      app_id: string | null
      event_type: EventTypeName | null
      states: ('given_up' | 'not_sent' | 'delivered')[]
      from: string
      to: string
      state: 'running' | 'complete' | 'incomplete' | 'cancelled'
      resent: number
      refused: number
      created_at: string
      finished_at: string | null
    }[]
    meta: { result_count: number; next_before?: string }
  }
  'GET /operator/resends/:job_id': OperatorAnswers['POST /operator/resends']
  'DELETE /operator/resends/:job_id': OperatorAnswers['POST /operator/resends']
  'POST /operator/replays': { data: { job_id?: string; created_at?: string; would_replay?: number } }
  'GET /operator/replays': {
    data: {
      job_id: string
      app_id: string
      webhook_id: string
      created_by: 'app' | 'operator'
      from: string
      to: string
      state: 'running' | 'complete' | 'incomplete' | 'cancelled'
      position: number
      tried_to: string | null
      delivered: number
      failed: number
      reported: boolean
      created_at: string
      finished_at: string | null
    }[]
    meta: { result_count: number; next_before?: string }
  }
  'GET /operator/replays/:job_id': {
    data: {
      job_id: string
      app_id: string
      webhook_id: string
      created_by: 'app' | 'operator'
      from: string
      to: string
      state: 'running' | 'complete' | 'incomplete' | 'cancelled'
      position: number
      tried_to: string | null
      delivered: number
      failed: number
      reported: boolean
      created_at: string
      finished_at: string | null
    }
  }
  'DELETE /operator/replays/:job_id': OperatorAnswers['GET /operator/replays/:job_id']
  'GET /operator/audit': {
    data: {
      at: string
      token_name: string | null
      address: string | null
      action: string
      status: number
      target: string
      app_id: string | null
      user_id: string | null
      changes: { field: string; before: string | null; after: string | null }[]
    }[]
    meta: { result_count: number; next_before?: number }
  }
  'GET /operator/audit/export': {
    at: string
    token_name: string | null
    address: string | null
    action: string
    status: number
    target: string
    app_id: string | null
    user_id: string | null
    changes: { field: string; before: string | null; after: string | null }[]
  }
  'GET /operator/audit/failures': {
    data: {
      hour: string
      kind: 'password' | 'app_secret' | 'client_secret' | 'signature' | 'operator_token'
      address: string
      count: number
    }[]
    meta: { result_count: number; next_before?: number }
  }
  'POST /operator/local-session': OperatorAnswers['POST /operator/session']
  'POST /operator/trigger': {
    data: {
      event_uuid?: string
      event?: {
        event_type: string
        user_id: string
        direction?: 'sent' | 'received'
        text?: string
        payload: Record<string, any>
        includes?: Record<string, any>
      }
      example: boolean
      performed?: string
      from?: string
      to?: string
      answer?: Record<string, any>
      deliveries?: {
        webhook_id: string
        url: string | null
        app_id: string | null
        event_uuid: string
        event_type: string
        attempt: number
        status: number | null
        outcome: 'delivered' | 'failed' | 'not_sent' | 'under_way'
        duration_ms?: number
        error?: string
        response?: string
        hint?: string
        next_try_at?: string
        reason?: string
      }[]
    }
    meta: { subscriptions: number; deliveries: number; reasons?: string[]; note?: string }
    warnings?: { path: string; message: string }[]
  }
  'GET /operator/trigger': {
    data: {
      event_type: string
      summary: string
      action: string | null
      about: 'source' | 'target' | 'either' | null
      to_another: boolean
      takes_text: boolean
    }[]
  }
  'GET /operator/keys': {
    data: {
      apps: {
        id: string
        name: string
        consumer_key: string
        consumer_secret: string | null
        oauth2_client_id: string | null
        oauth2_client_secret: string | null
      }[]
      people: {
        id: string
        username: string
        name: string
        password: string | null
        tokens: { app_id: string; oauth_token: string; oauth_token_secret: string }[]
      }[]
      pastes: { says: string; command: string }[]
    }
    meta: { has_more_people: boolean }
  }
  'POST /operator/settle': {
    data: {
      settled: boolean
      under_way: {
        kind: 'delivery' | 'retry' | 'replay' | 'work'
        what: string
        event_uuid?: string
        event_type?: string
        webhook_id?: string
        url?: string | null
      }[]
    }
  }
  'POST /operator/clock': { data: { now: string; happened: Record<string, any>[] }; meta?: { more: number } }
  'GET /operator/clock': {
    data: {
      now: string
      offset_ms: number
      due: {
        at: string
        kind:
          | 'retry'
          | 'challenge'
          | 'scheduled_post'
          | 'feed'
          | 'product_set'
          | 'product_catalog'
          | 'image_check'
          | 'upload'
          | 'outbox'
          | 'former_secret'
        event_uuid?: string
        event_type?: string
        webhook_id?: string
        app_id?: string
      }[]
    }
  }
  'POST /operator/reset': { data: { reset: boolean } }
  'POST /operator/snapshots': { data: { id: string; created_at: string; size_bytes: number } }
  'GET /operator/snapshots': { data: { id: string; created_at: string; size_bytes: number }[] }
  'POST /operator/snapshots/:snapshot_id/restore': { data: { id: string; created_at: string; size_bytes: number } }
  'DELETE /operator/snapshots/:snapshot_id': { data: { deleted: boolean } }
  'POST /operator/worlds': {
    data: {
      id: string
      app: {
        id: string
        consumer_key: string
        consumer_secret: string
        bearer_token: string
        oauth2_client_id: string
        oauth2_client_secret: string
      }
      users: Record<string, { id: string; username: string; password: string; oauth_token: string; oauth_token_secret: string }>
      account: { id: string }
    }
  }
  'DELETE /operator/worlds/:world_id': { data: { deleted: boolean } }
  'GET /operator/requests': {
    data: {
      sequence: number
      at: string
      method: string
      url: string
      host: string | null
      endpoint: string | null
      app_id: string | null
      user_id: string | null
      status: number
      duration_ms: number
      request: { headers: Record<string, string>; body: string | null; body_bytes: number; truncated: boolean }
      response: { headers: Record<string, string>; body: string | null; body_bytes: number; truncated: boolean }
      refused?: { reason: string; explain_url?: string }
      caused: string[]
      unmatched: { event_type: string; user_id: string }[]
      fault?: string
    }[]
    meta: { next: number }
  }
  'GET /operator/requests/:sequence': {
    data: {
      sequence: number
      at: string
      method: string
      url: string
      host: string | null
      endpoint: string | null
      app_id: string | null
      user_id: string | null
      status: number
      duration_ms: number
      request: { headers: Record<string, string>; body: string | null; body_bytes: number; truncated: boolean }
      response: { headers: Record<string, string>; body: string | null; body_bytes: number; truncated: boolean }
      refused?: { reason: string; explain_url?: string }
      caused: string[]
      unmatched: { event_type: string; user_id: string }[]
      fault?: string
    }
  }
  'GET /operator/requests/:sequence/near_misses': {
    data: {
      event_type: string
      user_id: string
      near_misses: { subscription_id: string; app_id: string; webhook_id: string | null; reason: string }[]
      more: number
    }[]
  }
  'DELETE /operator/requests': { data: { deleted: number } }
  'POST /operator/faults': {
    data: {
      id: string
      call?: string
      delivery?: string
      app_id?: string
      webhook_id?: string
      status?: number
      delay?: string
      cut?: boolean
      garbage?: boolean
      duplicate?: boolean
      reorder?: boolean
      drop?: boolean
      wrong_signature?: boolean
      times_left: number
      hits: { at: string; what: string; app_id?: string; webhook_id?: string; event_uuid?: string }[]
      created_at: string
    }
  }
  'GET /operator/faults': {
    data: {
      id: string
      call?: string
      delivery?: string
      app_id?: string
      webhook_id?: string
      status?: number
      delay?: string
      cut?: boolean
      garbage?: boolean
      duplicate?: boolean
      reorder?: boolean
      drop?: boolean
      wrong_signature?: boolean
      times_left: number
      hits: { at: string; what: string; app_id?: string; webhook_id?: string; event_uuid?: string }[]
      created_at: string
    }[]
    meta: { result_count: number }
  }
  'DELETE /operator/faults/:fault_id': { data: { deleted: boolean } }
  'DELETE /operator/faults': { data: { deleted: number } }
  'POST /operator/disorders': {
    data: {
      id: string
      seed: number
      calls: number
      deliveries: number
      kinds: ('status' | 'delay' | 'cut' | 'garbage' | 'duplicate' | 'reorder')[]
      statuses: (429 | 500 | 503)[]
      max_delay: string
      app_id?: string
      counts: { calls: { seen: number; hit: number }; deliveries: { seen: number; hit: number } }
      created_at: string
      drawn: {
        fault: string
        at: string
        what: string
        count: number
        attempt?: number
        kind: 'status' | 'delay' | 'cut' | 'garbage' | 'duplicate' | 'reorder'
        status?: number
        delay?: string
        app_id?: string
        user_id?: string
        webhook_id?: string
        event_uuid?: string
      }[]
    }
  }
  'GET /operator/disorders': {
    data: {
      id: string
      seed: number
      calls: number
      deliveries: number
      kinds: ('status' | 'delay' | 'cut' | 'garbage' | 'duplicate' | 'reorder')[]
      statuses: (429 | 500 | 503)[]
      max_delay: string
      app_id?: string
      counts: { calls: { seen: number; hit: number }; deliveries: { seen: number; hit: number } }
      created_at: string
    }[]
    meta: { result_count: number }
  }
  'GET /operator/disorders/:disorder_id': OperatorAnswers['POST /operator/disorders']
  'DELETE /operator/disorders/:disorder_id': { data: { deleted: boolean } }
  'POST /operator/inboxes': {
    data: {
      id: string
      url: string
      app_id: string
      webhook_id: string
      created_at: string
      received: number
      dropped: number
      subscriptions: {
        subscription_id: string
        event_type: EventTypeName
        filter: { user_id?: string; keyword?: string; direction?: 'sent' | 'received' }
        created_at: string
        updated_at: string
        tag?: string
        webhook_id?: string
        state?: 'active' | 'consent_revoked'
      }[]
    }
  }
  'GET /operator/inboxes': {
    data: { id: string; url: string; app_id: string; webhook_id: string; created_at: string; received: number; dropped: number }[]
    meta: { result_count: number }
  }
  'GET /operator/inboxes/:inbox_id/events': {
    data: {
      sequence: number
      received_at: string
      event_uuid: string | null
      event_type: string | null
      user_id: string | null
      verified: boolean
      duplicate: boolean
      signature: string | null
      event: Record<string, any>
    }[]
    meta: { next: number; explanation?: string[] }
  }
  'DELETE /operator/inboxes/:inbox_id': { data: { deleted: boolean } }
}
