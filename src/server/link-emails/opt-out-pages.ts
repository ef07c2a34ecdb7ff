import {
  type OptOutCondition,
  type OptOutPlaceholder,
  optOutConditions,
  optOutPlaceholders,
} from '../../shared/placeholders.ts'
import { makeTemplate, pageHeaders, readBuilt } from '../http/built-pages.ts'

/** Returns the page with its button, with its confirmation, or for an invalid token. */
export type OptOutPages = (content: OptOutCondition) => Response

/**
 * Loads the template of the opt-out page (opt-out.html in `distDir`), which works without
 * JavaScript.
 * @throws {StartupError} if the template is missing or was built for another version of the server.
 */
export function loadOptOutPages(options: { distDir: string; appUrl: URL }): OptOutPages {
  const { distDir, appUrl } = options
  const file = 'opt-out.html'
  const html = readBuilt(distDir, file)
  const template = makeTemplate<OptOutPlaceholder, OptOutCondition>({
    file,
    html,
    placeholders: optOutPlaceholders,
    conditions: optOutConditions,
  })
  const headers = {
    // With `no-referrer`, the form's origin would be null, which the server rejects as cross-site.
    ...pageHeaders({ html, appUrl, connect: [], referrer: 'same-origin' }),
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
  }
  return (content) => {
    const body = template([content]).fill({ host: appUrl.host })
    return new Response(body, { status: content === 'invalid' ? 404 : 200, headers })
  }
}
