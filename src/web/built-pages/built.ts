/** What the build adds to each page that it renders. */
export interface Built {
  /** The whole style sheet of the page. */
  css: string
  /** A script that sets the theme before the browser paints anything. */
  boot: string
  /** The URL of the script of the page. The browser paints the page without waiting for it. */
  script: string
}
