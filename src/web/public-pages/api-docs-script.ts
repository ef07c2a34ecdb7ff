import styles from 'swagger-ui-dist/swagger-ui.css?url'
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'
import { getCurrentTheme, subscribeToTheme } from '../ui/theme.ts'
import './page-script.ts'

/** Swagger UI uses its dark theme while <html> has the class `dark-mode`. */
function syncSwaggerTheme() {
  document.documentElement.classList.toggle('dark-mode', getCurrentTheme() === 'dark')
}

syncSwaggerTheme()
subscribeToTheme(syncSwaggerTheme)
const styleSheet = document.createElement('link')
styleSheet.rel = 'stylesheet'
styleSheet.href = styles
document.head.append(styleSheet)
SwaggerUI({
  url: '/api/openapi.json',
  dom_id: '#api-docs',
  deepLinking: true,
  defaultModelRendering: 'model',
  // By default, Swagger UI sends the URL of the OpenAPI document to an online validator.
  validatorUrl: null,
})
