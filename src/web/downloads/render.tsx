import { renderToStaticMarkup } from 'react-dom/server'
import { sectionEnd, sectionStart } from '../../shared/placeholders.ts'
import { reportChoiceNames } from '../../shared/rules/links/report.ts'
import { themeBoot } from '../ui/theme-boot.ts'
import css from './download-page.css?inline'
import { DownloadPage, FileRow, InvalidLinkPage, logoProperty } from './download-page.tsx'
import { OptOutPage } from './opt-out-page.tsx'
import reportCss from './report-page.css?inline'
import { ReportPage } from './report-page.tsx'

/**
 * Renders the download page, a row of its list, the invalid link page, the report page, and the
 * page that stops links by email.
 * @param script the URL of the pages' script.
 */
export function renderDownloadPages(script: string): {
  link: string
  fileRow: string
  invalid: string
  report: string
  optOut: string
} {
  const assets = { css, boot: themeBoot, script }
  const renderDocument = (page: React.ReactNode) => `<!doctype html>${renderToStaticMarkup(page)}`
  return {
    link: withOptionalLogo(renderDocument(<DownloadPage assets={assets} />)),
    fileRow: renderToStaticMarkup(<FileRow />),
    invalid: renderDocument(<InvalidLinkPage assets={assets} />),
    report: withOptionalChoices(
      renderDocument(<ReportPage assets={{ ...assets, css: reportCss }} />),
    ),
    optOut: renderDocument(<OptOutPage assets={{ ...assets, css: reportCss }} />),
  }
}

/**
 * Wraps the logo's <meta> element in a conditional section. Edits the rendered HTML, because React
 * would hoist the element out of a section in JSX.
 */
function withOptionalLogo(html: string): string {
  const metaPattern = new RegExp(`<meta property="${logoProperty}"[^>]*>`)
  return html.replace(metaPattern, (element) => sectionStart('logo') + element + sectionEnd('logo'))
}

/**
 * Wraps the `checked` attribute of each radio button in a conditional section. Edits the rendered
 * HTML, because JSX can't have sections inside a tag.
 */
function withOptionalChoices(html: string): string {
  return reportChoiceNames.reduce(
    (page, choice) =>
      page.replace(new RegExp(`<input[^>]* value="${choice}"[^>]*>`), (element) =>
        element.replace(' checked=""', `${sectionStart(choice)} checked=""${sectionEnd(choice)}`),
      ),
    html,
  )
}
