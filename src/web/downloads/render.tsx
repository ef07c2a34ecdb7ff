import { renderToStaticMarkup } from 'react-dom/server'
import { sectionEnd, sectionStart } from '../../shared/placeholders.ts'
import { reportChoiceNames } from '../../shared/rules/links/report.ts'
import { themeBoot } from '../ui/theme-boot.ts'
import css from './download-page.css?inline'
import { DownloadPage, InvalidLinkPage, logoProperty } from './download-page.tsx'
import reportCss from './report-page.css?inline'
import { ReportPage } from './report-page.tsx'

/**
 * Renders both download pages and the page where a visitor reports a file as whole HTML documents.
 * @param script the URL of the script that adds features to these pages.
 */
export function renderDownloadPages(script: string): {
  link: string
  invalid: string
  report: string
} {
  const built = { css, boot: themeBoot, script }
  const whole = (page: React.ReactNode) => `<!doctype html>${renderToStaticMarkup(page)}`
  return {
    link: withOptionalLogo(whole(<DownloadPage built={built} />)),
    invalid: whole(<InvalidLinkPage built={built} />),
    report: withOneChoice(whole(<ReportPage built={{ ...built, css: reportCss }} />)),
  }
}

/**
 * Puts the <meta> element of the logo into a section that only pages with a logo show. It changes
 * the rendered text. In JSX this is not possible, because React moves each <meta> to the start of
 * the head, out of its section.
 */
function withOptionalLogo(html: string): string {
  const meta = new RegExp(`<meta property="${logoProperty}"[^>]*>`)
  return html.replace(meta, (element) => sectionStart('logo') + element + sectionEnd('logo'))
}

/**
 * Puts the attribute `checked` of each radio button into a section that only pages with this choice
 * show. It changes the rendered text, because JSX has no sections inside a tag.
 */
function withOneChoice(html: string): string {
  return reportChoiceNames.reduce(
    (page, choice) =>
      page.replace(new RegExp(`<input[^>]* value="${choice}"[^>]*>`), (element) =>
        element.replace(' checked=""', `${sectionStart(choice)} checked=""${sectionEnd(choice)}`),
      ),
    html,
  )
}
