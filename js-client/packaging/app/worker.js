import "@sluice/client/shared-worker";
