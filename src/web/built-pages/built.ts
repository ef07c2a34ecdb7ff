/** What the build adds to each page that it renders. */
export interface Built {
  /** The whole style sheet of the page. */
  css: string
  /** A script that sets the theme before the browser paints anything. */
  boot: string
  /** The URL of the script that runs after the browser has painted the page. */
  script: string
}
