import express, { type Express } from 'express';
import type { Logger } from '../../shared/observability/logger.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import type { Secret } from '../../shared/secrets/secret.ts';
import { type ApiDocumentsParts, apiDocuments } from '../pages/api-documents.ts';
import { docsPage } from '../pages/docs-page.ts';
import { errorsPage } from '../pages/errors-page.ts';
import { graphiqlPage } from '../pages/graphiql-page.ts';
import { type HomePageParts, homePage } from '../pages/home-page.ts';
import { type RestParts, restRouter } from '../rest/router.ts';
import { type HealthParts, healthRoutes } from './health.ts';
import { errorHandler, unknownPath } from './http-errors.ts';
import { metricsRoute } from './metrics-route.ts';

export interface WebParts {
  logger: Logger;
  metrics: Metrics;
  metricsToken: Secret | null;
  rest: RestParts;
  health: HealthParts;
  home: HomePageParts;
  documents: ApiDocumentsParts;
}

/** Creates the Express app. A request passes the handlers in this order. */
export function expressApp({ logger, metrics, metricsToken, rest, health, home, documents }: WebParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', 'simple');
  app.use('/v1', restRouter(rest));
  app.use(healthRoutes(health));
  app.use(metricsRoute(metrics, metricsToken));
  app.use(homePage(home));
  app.use(docsPage(home));
  app.use(errorsPage());
  app.use(apiDocuments(documents));
  app.use(graphiqlPage(home));
  app.use(unknownPath);
  app.use(errorHandler(logger));
  return app;
}
